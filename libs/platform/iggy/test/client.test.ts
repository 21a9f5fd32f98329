import { engine } from '@carillon/test-backends';
import { configuration } from '@carillon/testing';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import {
  endOf,
  ensureTopics,
  IggyClient,
  iggyAddress,
  IggyRefused,
  IggySender,
  IggyUnavailable,
  openIggy,
  pollMessages,
  storedOffset,
  storeOffset,
  streamOptions,
} from '../src/index.js';

const BLOCK = 'queue.iggy';
const settingsOf = (env: Record<string, string>) => configuration(env).queue.iggy;

function opened(env: Record<string, string>): IggyClient {
  const client = openIggy(settingsOf(env), BLOCK);
  onTestFinished(() => client.close());
  return client;
}

/** A server with scripted answers. */
async function server(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<number> {
  const made = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => answer(request, response, body));
  });
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    made.closeAllConnections();
    made.close();
  });
  return (made.address() as AddressInfo).port;
}

it('sends, polls and stores offsets of a partition', async () => {
  const { url } = await engine('iggy');
  const env = { IGGY_CONNECTION_STRING: url };
  const client = opened(env);
  const topic = randomUUID();
  const options = streamOptions(settingsOf(env), BLOCK);
  const plans = [{ topic, partitions: 2, expiryMs: null }];
  await Promise.all([ensureTopics(client, options, plans), ensureTopics(client, options, plans)]);
  const address = { stream: options.stream, topic, partition: 1 };
  expect(await endOf(client, address, 'me')).toBe(0);
  const sender = new IggySender({ client, address });
  await Promise.all(['a', 'é', ''].map((text) => sender.send(text)));
  expect(await endOf(client, address, 'me')).toBe(3);
  const { messages } = await pollMessages(client, address, {
    consumer: 'me',
    kind: 'offset',
    value: 1,
    count: 10,
    autoCommit: false,
  });
  expect(messages.map(({ offset, payload }) => [offset, payload.toString()])).toEqual([
    [1, 'é'],
    [2, ' '],
  ]);
  expect(await storedOffset(client, address, 'me')).toBeNull();
  await storeOffset(client, address, 'me', 1);
  expect(await storedOffset(client, address, 'me')).toBe(1);
});

it('reports a topic that does not exist when it may not create it', async () => {
  const { url } = await engine('iggy');
  const env = { IGGY_CONNECTION_STRING: url, IGGY_AUTO_CREATE: 'false', IGGY_STREAM: 'absent' };
  const plans = [{ topic: 'x', partitions: 1, expiryMs: null }];
  await expect(ensureTopics(opened(env), streamOptions(settingsOf(env), BLOCK), plans)).rejects.toThrow(
    'stream "absent" does not exist and queue.iggy.auto_create is false',
  );
});

it('names user and settings when the password is wrong', async () => {
  const { url } = await engine('iggy');
  const client = opened({ IGGY_CONNECTION_STRING: url, IGGY_PASSWORD: 'wrong' });
  await expect(client.request('GET', '/streams')).rejects.toThrow(
    /refuses user "iggy" \(HTTP 400 invalid_credentials\); set queue\.iggy\.username and queue\.iggy\.password/,
  );
});

it('uses a seed when the first server does not answer', async () => {
  const { url, host, port } = await engine('iggy');
  const env = {
    IGGY_CONNECTION_STRING: url.replace(`:${port}`, ':1'),
    IGGY_CLUSTER_SEEDS: `${host}:${port}`,
  };
  await expect(opened(env).request('GET', '/streams')).resolves.toBeDefined();
});

it('fails when no server answers within the failover time-out', async () => {
  const env = { IGGY_CONNECTION_STRING: 'iggy://a:b@127.0.0.1:1', IGGY_FAILOVER_TIMEOUT_MS: '300' };
  await expect(opened(env).ping()).rejects.toBeInstanceOf(IggyUnavailable);
});

it('refreshes its token before it expires and logs in again when it is refused', async () => {
  const calls: string[] = [];
  let tokens = 0;
  const port = await server((request, response, body) => {
    const path = request.url ?? '';
    calls.push(`${path} ${request.headers.authorization ?? body}`);
    const expiry = Math.floor(Date.now() / 1000) + (tokens === 0 ? 1 : 3600);
    if (path.startsWith('/users/')) {
      tokens += 1;
      response.end(JSON.stringify({ user_id: 0, access_token: { token: `t${tokens}`, expiry } }));
    } else {
      response.statusCode = request.headers.authorization === 'Bearer t2' ? 401 : 200;
      response.end('{}');
    }
  });
  const env = { IGGY_CONNECTION_STRING: `iggy+http://a:b@127.0.0.1:${port}` };
  const client = opened(env);
  await client.request('GET', '/streams');
  // Half of the shortest life of a token.
  await new Promise((resolve) => setTimeout(resolve, 600));
  await client.request('GET', '/streams');
  expect(calls).toEqual([
    '/users/login {"username":"a","password":"b"}',
    '/streams Bearer t1',
    '/users/refresh-token {"token":"t1"}',
    '/streams Bearer t2',
    '/users/login {"username":"a","password":"b"}',
    '/streams Bearer t3',
  ]);
});

it('keeps the order of messages that are sent while a request is under way', async () => {
  const batches: string[][] = [];
  const port = await server((request, response, body) => {
    if (request.url?.startsWith('/users/') === true) {
      response.end('{"access_token":{"token":"t","expiry":9999999999}}');
      return;
    }
    const { messages } = JSON.parse(body) as { messages: readonly { payload: string }[] };
    batches.push(messages.map(({ payload }) => Buffer.from(payload, 'base64').toString()));
    response.statusCode = 201;
    response.end();
  });
  const client = new IggyClient({
    address: iggyAddress(settingsOf({ IGGY_CONNECTION_STRING: `iggy+http://a:b@127.0.0.1:${port}` }), BLOCK),
    block: BLOCK,
    connectTimeoutMs: 1000,
    requestTimeoutMs: 1000,
    failoverTimeoutMs: 500,
  });
  onTestFinished(() => client.close());
  const sender = new IggySender({ client, address: { stream: 's', topic: 't', partition: 0 } });
  const sent = ['a', 'b'].map((text) => sender.send(text));
  await sent[0];
  await Promise.all([...sent, sender.send('c'), sender.send('d')]);
  expect(batches.flat()).toEqual(['a', 'b', 'c', 'd']);
});

it('rejects with the code and reason of the server', async () => {
  const { url } = await engine('iggy');
  const client = opened({ IGGY_CONNECTION_STRING: url });
  const error: unknown = await client.request('GET', '/streams/none').catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(IggyRefused);
  expect(error).toMatchObject({ status: 404, code: 'not_found' });
});
