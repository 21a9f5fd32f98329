import { engine, type EngineHandle } from '@carillon/test-backends';
import { redisTarget } from '@carillon/redis';
import { pubsubWire } from '../src/drivers/google-pubsub/pubsub-wire.js';
import { iggyWire } from '../src/drivers/iggy/iggy-wire.js';
import { kafkaWire } from '../src/drivers/kafka/kafka-wire.js';
import { omqWire } from '../src/drivers/omq/omq-wire.js';
import { natsWire } from '../src/drivers/nats/nats-wire.js';
import { pulsarWire } from '../src/drivers/pulsar/pulsar-wire.js';
import { rabbitmqWire } from '../src/drivers/rabbitmq/rabbitmq-wire.js';
import { redisWire } from '../src/drivers/redis/redis-wire.js';
import type { Routing } from '../src/cluster/members.js';
import type { Wire } from '../src/cluster/wire.js';
import { OPTIONS } from './cluster.js';
import { nextEndpoint, newEndpoints } from './omq-endpoints.js';
import { configured } from './settings.js';

/** Ways to a real broker, by the name of the driver: with the engine it needs, and the wire to it. */
export interface RealWire {
  readonly name: string;
  /** Null: there is no broker. */
  readonly engine: string | null;
  readonly routing: Routing;
  open(url: string, prefix: string): Promise<Wire>;
}

const nats: RealWire = {
  name: 'nats',
  engine: 'nats',
  routing: 'interest',
  open: async (url, prefix) => {
    const { nats: settings } = configured({ NATS_SERVERS: url, NATS_PREFIX: prefix }).adapter;
    return natsWire({ settings, connectionName: prefix, onEvent: () => {} });
  },
};

const redis: RealWire = {
  name: 'redis',
  engine: 'redis',
  routing: 'interest',
  open: (url, prefix) => {
    const use = { driver: 'redis', urlOverride: url, clusterMode: false };
    const target = redisTarget(configured({}).database.redis, use);
    return redisWire({ prefix, publishTo: target, subscribeTo: target, sharded: false });
  },
};

const redisCluster = (name: string, sharded: boolean): RealWire => ({
  name,
  engine: 'redis-cluster',
  routing: 'interest',
  open: (urls, prefix) => {
    const settings = configured({ REDIS_CLUSTER_NODES: urls }).database.redis;
    const target = redisTarget(settings, { driver: 'redis-cluster', urlOverride: null, clusterMode: true });
    return redisWire({ prefix, publishTo: target, subscribeTo: target, sharded });
  },
});

const rabbitmq: RealWire = {
  name: 'rabbitmq',
  engine: 'rabbitmq',
  routing: 'broadcast',
  open: (url, prefix) =>
    rabbitmqWire(configured({ RABBITMQ_URL: url, RABBITMQ_PREFIX: prefix }).adapter.rabbitmq),
};

const kafka: RealWire = {
  name: 'kafka',
  engine: 'kafka',
  routing: 'broadcast',
  open: (url, prefix) => {
    const env = { KAFKA_BROKERS: url.replace('kafka://', ''), KAFKA_PREFIX: prefix };
    const { kafka: settings } = configured(env).adapter;
    return kafkaWire({ settings, clientId: prefix, lanes: 4, maxMessageBytes: OPTIONS.maxMessageBytes });
  },
};

const iggy: RealWire = {
  name: 'iggy',
  engine: 'iggy',
  routing: 'broadcast',
  open: async (url, prefix) => {
    const env = {
      IGGY_CONNECTION_STRING: url,
      IGGY_TOPIC_PREFIX: prefix,
      IGGY_FAILOVER_TIMEOUT_MS: '500',
    };
    return iggyWire({ settings: configured(env).adapter.iggy, lanes: 4 });
  },
};

const pulsar: RealWire = {
  name: 'pulsar',
  engine: 'pulsar',
  routing: 'broadcast',
  open: async (url, prefix) =>
    pulsarWire(configured({ PULSAR_URL: url, PULSAR_PREFIX: prefix }).adapter.pulsar),
};

const googlePubsub: RealWire = {
  name: 'google-pubsub',
  engine: 'google-pubsub',
  routing: 'broadcast',
  open: async (url, prefix) => {
    const env = {
      PUBSUB_EMULATOR_HOST: url.replace('http://', ''),
      GOOGLE_PUBSUB_PROJECT_ID: 'carillon',
      GOOGLE_PUBSUB_PREFIX: prefix,
    };
    return pubsubWire(configured(env).adapter.google_pubsub);
  },
};

/** Each wire listens on the next of the endpoints and connects to all of them, its own included. */
const omq: RealWire = {
  name: 'omq',
  engine: null,
  routing: 'broadcast',
  open: (endpoints, prefix) => {
    const env = {
      OMQ_BIND_ENDPOINT: nextEndpoint(endpoints),
      OMQ_CONNECT_ENDPOINTS: endpoints,
      OMQ_PREFIX: prefix,
    };
    return omqWire(configured(env).adapter.omq, () => {});
  },
};

export const REAL_WIRES: readonly RealWire[] = [
  iggy,
  googlePubsub,
  omq,
  kafka,
  nats,
  pulsar,
  rabbitmq,
  redis,
  redisCluster('redis-cluster', false),
  redisCluster('redis-cluster, sharded', true),
];

/** A broker that others use too, and a prefix of one's own on it. */
export async function shared({ engine: name }: RealWire): Promise<{ url: string; prefix: string }> {
  if (name === null) return { url: await newEndpoints(), prefix: 'shared' };
  const { name: prefix, url } = await (await engine(name)).isolate();
  return { url, prefix };
}

/** A broker of one's own, to be killed and restarted. */
export const own = ({ name, engine: broker }: RealWire): Promise<EngineHandle> => {
  if (broker === null) throw new Error(`${name} has no broker`);
  return engine(broker, { own: true });
};
