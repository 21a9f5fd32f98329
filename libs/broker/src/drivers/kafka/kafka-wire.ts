import { randomUUID } from 'node:crypto';
import { sharedNames } from '@carillon/contracts';
import { clientConfig, createMissingTopics, type KafkaSettings } from '@carillon/kafka';
import type { Consumer, Kafka } from 'kafkajs';
import { hostOf } from '../../cluster/broker-hosts.js';
import type { Wire } from '../../cluster/wire.js';
import { disconnect, type KafkaParts, KafkaSession } from './kafka-session.js';
import { endsOf, liveTopicConfig } from './topics.js';

export interface KafkaWireOptions {
  readonly settings: KafkaSettings;
  readonly clientId: string;
  /** Number of commit lanes. */
  readonly lanes: number;
  /** Size limit of one message. */
  readonly maxMessageBytes: number;
}

const DEFAULT_PORT = 9092;
/** Long-poll time of an idle fetch; a close waits for it. */
const HOLD_MS = 500;

/** The way to Kafka. Loads the client library. */
export async function kafkaWire(options: KafkaWireOptions): Promise<Wire> {
  const { default: kafkajs } = await import('kafkajs');
  const { settings, clientId } = options;
  const kafka = new kafkajs.Kafka({
    ...clientConfig(settings, 'adapter.kafka', clientId),
    logLevel: kafkajs.logLevel.NOTHING,
  });
  const createPartitioner = kafkajs.Partitioners.DefaultPartitioner;
  const names = sharedNames(settings.prefix);
  const shared = [names.broadcast, names.requests, names.responses, names.writers];
  const laneTopics = {
    commit: `${settings.prefix}.commit`,
    read: `${settings.prefix}.read`,
    responses: names.responses,
  };
  const ofLanes = [laneTopics.commit, laneTopics.read];
  const topics = [...shared, ...ofLanes];
  const config = liveTopicConfig(options.maxMessageBytes);
  const plans = [
    ...shared.map((topic) => ({ topic, partitions: 1, config })),
    ...ofLanes.map((topic) => ({ topic, partitions: options.lanes, config })),
  ];
  return {
    names,
    hosts: settings.brokers.flatMap((address) => hostOf(address, DEFAULT_PORT) ?? []),
    open: async (listener) => {
      const admin = kafka.admin();
      const producer = kafka.producer({ createPartitioner, allowAutoTopicCreation: false });
      const consumer = consumerOf(kafka, `${settings.prefix}.${randomUUID()}`);
      const timeoutMs = settings.request_timeout_ms;
      const parts = { admin, producer, consumer, topics, laneTopics, timeoutMs, listener };
      try {
        await admin.connect();
        await createMissingTopics(admin, plans, false);
        await producer.connect();
        return await read(new KafkaSession(parts), parts);
      } catch (error) {
        await disconnect(parts);
        throw error;
      }
    },
  };
}

/** A group of its own reads everything, and is gone with its only member because it never commits an offset. */
const consumerOf = (kafka: Kafka, groupId: string): Consumer =>
  kafka.consumer({
    groupId,
    maxWaitTimeInMs: HOLD_MS,
    allowAutoTopicCreation: false,
    retry: { retries: 0, restartOnFailure: () => Promise.resolve(false) },
  });

/** Lets the consumer read from where the topics end now; from then on nothing is missed, or the session is lost. */
async function read(session: KafkaSession, { admin, consumer, topics }: KafkaParts): Promise<KafkaSession> {
  let joined = 0;
  let failure: string | null = null;
  consumer.on(consumer.events.GROUP_JOIN, () => {
    joined += 1;
    // After a rejoin the consumer would resume at the current ends of the topics and skip records.
    if (joined > 1) session.lose('the consumer had to join again');
  });
  consumer.on(consumer.events.CRASH, ({ payload }) => {
    failure = payload.error.message;
    session.lose(failure);
  });
  await consumer.connect();
  await consumer.subscribe({ topics: [...topics] });
  const ends = await endsOf(admin, topics);
  await consumer.run({
    autoCommit: false,
    eachBatch: ({ batch }) => {
      session.take(batch);
      return Promise.resolve();
    },
  });
  if (failure !== null || joined === 0) throw new Error(failure ?? 'the consumer could not join');
  for (const end of ends) consumer.seek(end);
  session.lanes.begin(ends);
  return session;
}
