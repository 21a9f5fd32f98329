import type { Config } from '@carillon/config';
import { type BrokerNames, sharedNames } from '@carillon/contracts';
import type { Channel, ChannelModel } from 'amqplib';
import { hostOf } from '../../cluster/broker-hosts.js';
import type { SessionListener, Wire } from '../../cluster/wire.js';
import { RabbitmqSession } from './rabbitmq-session.js';

type Settings = Config['adapter']['rabbitmq'];

const DEFAULT_PORT = 5672;
/** A process that falls this far behind loses the oldest messages rather than the broker's memory. */
const MAX_QUEUED = 100_000;

/** The way to RabbitMQ. Loads the client library. */
export async function rabbitmqWire(settings: Settings): Promise<Wire> {
  const { connect } = await import('amqplib');
  const names = sharedNames(settings.prefix);
  return {
    names,
    hosts: [settings.url].flatMap((url) => hostOf(url, DEFAULT_PORT) ?? []),
    open: async (listener) => {
      const connection = await connect(settings.url, { timeout: settings.connection_timeout_ms });
      // Before the session exists, an error event without a listener would end the process.
      connection.on('error', () => undefined);
      try {
        return await openSession(connection, names, listener);
      } catch (error) {
        await connection.close().catch(() => undefined);
        throw error;
      }
    },
  };
}

async function openSession(
  connection: ChannelModel,
  names: BrokerNames,
  listener: SessionListener,
): Promise<RabbitmqSession> {
  const publishing = await connection.createConfirmChannel();
  const consuming = await connection.createChannel();
  for (const channel of [publishing, consuming]) channel.on('error', () => undefined);
  for (const exchange of [names.broadcast, names.requests, names.responses, names.writers])
    await consuming.assertExchange(exchange, 'fanout');
  const queue = await ownQueue(consuming);
  const session = new RabbitmqSession({ names, connection, publishing, consuming, queue, listener });
  await consuming.consume(queue, (message) => session.take(message), { noAck: true });
  return session;
}

async function ownQueue(channel: Channel): Promise<string> {
  const { queue } = await channel.assertQueue('', {
    exclusive: true,
    autoDelete: true,
    durable: false,
    maxLength: MAX_QUEUED,
  });
  return queue;
}
