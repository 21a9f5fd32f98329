import { engine } from '@carillon/test-backends';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { expect, it, onTestFinished, vi } from 'vitest';
import {
  MAX_PAYLOAD_BYTES,
  MessageRefused,
  pulsarAddress,
  PulsarConsumer,
  PulsarProducer,
  type IncomingMessage,
  type PulsarClientOptions,
} from '../src/index.js';

const SOON = { timeout: 15_000, interval: 10 };

async function client(): Promise<PulsarClientOptions> {
  const { url } = await engine('pulsar');
  return { address: pulsarAddress(url, 'test'), token: null, block: 'test', timeoutMs: 5000 };
}

function producerOf(options: PulsarClientOptions, topic: string): PulsarProducer {
  const producer = new PulsarProducer({
    ...options,
    topic,
    lostError: (reason) => new Error(reason),
    onLost: () => undefined,
  });
  onTestFinished(() => producer.close());
  return producer;
}

async function consumerOf(
  options: PulsarClientOptions,
  topic: string,
  more: Partial<Parameters<typeof PulsarConsumer.open>[0]> = {},
): Promise<{ consumer: PulsarConsumer; received: IncomingMessage[] }> {
  const received: IncomingMessage[] = [];
  const consumer = await PulsarConsumer.open({
    ...options,
    topic,
    subscription: 'workers',
    type: 'Shared',
    mode: 'Durable',
    from: 'Earliest',
    maxUnacknowledged: null,
    onMessage: (message) => received.push(message),
    onLost: () => undefined,
    ...more,
  });
  onTestFinished(() => consumer.close());
  return { consumer, received };
}

const textsOf = (received: readonly IncomingMessage[]) => received.map(({ payload }) => payload.toString());

it('a consumer receives what it has permits for, in order', async () => {
  const [options, topic] = [await client(), randomUUID()];
  const { consumer, received } = await consumerOf(options, topic);
  const producer = producerOf(options, topic);
  await Promise.all(['a', 'b', 'c'].map((text) => producer.send({ text })));
  consumer.permit(2);
  await vi.waitFor(() => expect(textsOf(received)).toEqual(['a', 'b']), SOON);
  await consumer.acknowledged();
  expect(received).toHaveLength(2);
});

it('messages that were not acknowledged go to the next consumer', async () => {
  const [options, topic] = [await client(), randomUUID()];
  const first = await consumerOf(options, topic);
  await producerOf(options, topic).send({ text: 'a' });
  first.consumer.permit(1);
  await vi.waitFor(() => expect(first.received).toHaveLength(1), SOON);
  await first.consumer.close();
  const second = await consumerOf(options, topic);
  second.consumer.permit(1);
  await vi.waitFor(() => expect(textsOf(second.received)).toEqual(['a']), SOON);
});

it('any consumer of a subscription acknowledges a delayed message before it is delivered', async () => {
  const [options, topic] = [await client(), randomUUID()];
  const { consumer, received } = await consumerOf(options, topic);
  const producer = producerOf(options, topic);
  const id = await producer.send({ text: 'cancelled', deliverAfterMs: 300 });
  consumer.acknowledge(id);
  await producer.send({ text: 'kept', deliverAfterMs: 600 });
  consumer.permit(2);
  await vi.waitFor(() => expect(textsOf(received)).toEqual(['kept']), SOON);
});

it('a producer refuses a message that exceeds the size limit and continues', async () => {
  const [options, topic] = [await client(), randomUUID()];
  const producer = producerOf(options, topic);
  const large = 'x'.repeat(MAX_PAYLOAD_BYTES);
  await expect(producer.send({ text: `${large}x` })).rejects.toBeInstanceOf(MessageRefused);
  expect(await producer.send({ text: large })).toEqual(expect.any(String));
});

it.each([
  ['refuses test.token', 'a-token'],
  ['requires a token; set test.token', null],
])('an HTTP 401 is reported as: %s', async (message, token) => {
  const server = createServer();
  let authorization: string | undefined;
  server.on('upgrade', (request, socket) => {
    authorization = request.headers.authorization;
    socket.end('HTTP/1.1 401 Unauthorized\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const address = pulsarAddress(`ws://127.0.0.1:${port}`, 'test');
  const producer = producerOf({ address, token, block: 'test', timeoutMs: 3000 }, 'topic');
  await expect(producer.opened).rejects.toThrow(message);
  expect(authorization).toBe(token === null ? undefined : `Bearer ${token}`);
});
