import { engine } from '@carillon/test-backends';
import { openRedisLink, redisTarget } from '@carillon/redis';
import { configuration } from '@carillon/testing';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers as natsHeaders } from '@nats-io/transport-node';
import amqp from 'amqplib';
import kafkajs from 'kafkajs';

type Headers = Readonly<Record<string, string>>;

/** A message that a test reads back from the dead letters. */
export interface Letter {
  readonly payload: string;
  readonly headers: Headers;
}

/** A stream of a user, and the settings of the source that consumes it. */
export interface Stream {
  readonly source: Readonly<Record<string, unknown>>;
  send(payload: string, headers?: Headers): Promise<void>;
  /** All dead letters so far. */
  deadLetters(): Promise<readonly Letter[]>;
  end(): Promise<void>;
}

let streams = 0;
const unique = (): string => `ingest-${process.pid}-${(streams += 1)}`;

async function redis(): Promise<Stream> {
  const { url } = await engine('redis');
  const stream = unique();
  const settings = configuration({ RUST_LOG: 'off' }).database.redis;
  const target = redisTarget(settings, { driver: 'redis', urlOverride: url, clusterMode: false });
  const link = await openRedisLink({ target, listener: { lost: () => {}, restored: () => {} } });
  return {
    source: { type: 'redis', url, stream, dead_letter: { stream: `${stream}-dead` } },
    send: async (payload, headers = {}) => {
      await link.call('xadd', stream, '*', 'payload', payload, ...Object.entries(headers).flat());
    },
    deadLetters: async () => {
      const entries = await link.call('xrange', `${stream}-dead`, '-', '+');
      return (entries as [string, string[]][]).map(([, fields]) => {
        const pairs = Array.from({ length: fields.length / 2 }, (_, index) => [
          fields[index * 2] ?? '',
          fields[index * 2 + 1] ?? '',
        ]);
        const { payload = '', ...headers } = Object.fromEntries(pairs) as Record<string, string>;
        return { payload, headers };
      });
    },
    end: async () => {
      await link.call('del', stream, `${stream}-dead`);
      link.close();
    },
  };
}

async function nats(): Promise<Stream> {
  const { url } = await engine('nats');
  const connection = await connect({ servers: url });
  const manager = await jetstreamManager(connection);
  const client = jetstream(connection);
  const stream = unique();
  await manager.streams.add({ name: stream, subjects: [`${stream}.>`] });
  const letters: Letter[] = [];
  connection.subscribe(`${stream}.dead`, {
    callback: (_, message) => {
      const names = message.headers?.keys() ?? [];
      letters.push({
        payload: message.string(),
        headers: Object.fromEntries(names.map((name) => [name, message.headers?.get(name) ?? ''])),
      });
    },
  });
  return {
    source: {
      type: 'nats',
      servers: [url],
      stream,
      subject: `${stream}.in`,
      dead_letter: { subject: `${stream}.dead` },
    },
    send: async (payload, headers = {}) => {
      const all = natsHeaders();
      for (const [name, value] of Object.entries(headers)) all.set(name, value);
      await client.publish(`${stream}.in`, payload, { headers: all });
    },
    deadLetters: async () => letters,
    end: async () => {
      await manager.streams.delete(stream);
      await connection.close();
    },
  };
}

async function kafka(): Promise<Stream> {
  const { url } = await engine('kafka');
  const brokers = [new URL(url).host];
  const client = new kafkajs.Kafka({ brokers, logLevel: kafkajs.logLevel.NOTHING });
  const topic = unique();
  const admin = client.admin();
  await admin.connect();
  await admin.createTopics({
    topics: [topic, `${topic}-dead`].map((name) => ({ topic: name, numPartitions: 1 })),
  });
  const producer = client.producer();
  await producer.connect();
  const letters: Letter[] = [];
  const consumer = client.consumer({ groupId: `${topic}-test` });
  await consumer.connect();
  await consumer.subscribe({ topic: `${topic}-dead`, fromBeginning: true });
  await consumer.run({
    eachMessage: async ({ message }) => {
      const headers = Object.entries(message.headers ?? {}).map(([name, value]) => [name, String(value)]);
      letters.push({
        payload: message.value?.toString() ?? '',
        headers: Object.fromEntries(headers) as Headers,
      });
    },
  });
  return {
    source: {
      type: 'kafka',
      brokers,
      topics: [topic],
      group: topic,
      dead_letter: { topic: `${topic}-dead` },
    },
    send: async (payload, headers = {}) => {
      await producer.send({ topic, messages: [{ key: 'k', value: payload, headers: { ...headers } }] });
    },
    deadLetters: async () => letters,
    end: async () => {
      await Promise.all([consumer.disconnect(), producer.disconnect()]);
      await admin.deleteTopics({ topics: [topic, `${topic}-dead`] });
      await admin.disconnect();
    },
  };
}

async function rabbitmq(): Promise<Stream> {
  const { url } = await engine('rabbitmq');
  const connection = await amqp.connect(url);
  const channel = await connection.createConfirmChannel();
  const queue = unique();
  await channel.assertQueue(queue, { arguments: { 'x-single-active-consumer': true } });
  await channel.assertQueue(`${queue}-dead`);
  const letters: Letter[] = [];
  await channel.consume(`${queue}-dead`, (message) => {
    if (message === null) return;
    const headers = Object.entries(message.properties.headers ?? {});
    letters.push({
      payload: message.content.toString(),
      headers: Object.fromEntries(headers.map(([name, value]) => [name, String(value)])),
    });
    channel.ack(message);
  });
  let sent = 0;
  return {
    source: { type: 'rabbitmq', url, queue, dead_letter: { exchange: '', routing_key: `${queue}-dead` } },
    send: async (payload, headers = {}) => {
      channel.sendToQueue(queue, Buffer.from(payload), { headers, messageId: `m-${(sent += 1)}` });
      await channel.waitForConfirms();
    },
    deadLetters: async () => letters,
    end: async () => {
      await channel.deleteQueue(queue);
      await channel.deleteQueue(`${queue}-dead`);
      await connection.close();
    },
  };
}

/** Streams of each kind. */
export const STREAMS = { redis, nats, kafka, rabbitmq } as const;
export type StreamKind = keyof typeof STREAMS;
