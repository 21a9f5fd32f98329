import type { Config } from '../schema/index.js';

const hasUserinfo = (url: string): boolean => /^[a-z][a-z0-9+.-]*:\/\/[^/]*@/i.test(url);

function redisOpen({ adapter, database }: Config): boolean {
  const urls = [adapter.redis.redis_pub_options.url, adapter.redis.redis_sub_options.url];
  return urls.some((url) => (url === null ? database.redis.password === null : !hasUserinfo(url)));
}

function redisClusterOpen({ adapter, database }: Config): boolean {
  return database.redis.cluster.password === null && !adapter.cluster.nodes.every(hasUserinfo);
}

function natsOpen({ adapter: { nats } }: Config): boolean {
  return nats.token === null && nats.password === null && !nats.servers.every(hasUserinfo);
}

function iggyOpen({ adapter: { iggy } }: Config): boolean {
  return iggy.username === null && !hasUserinfo(iggy.connection_string);
}

type Driver = Config['adapter']['driver'];

/** Whether each broker, as configured, accepts unauthenticated clients. */
const OPEN: Readonly<Record<Driver, (config: Config) => boolean>> = {
  local: () => false,
  redis: redisOpen,
  'redis-cluster': redisClusterOpen,
  nats: natsOpen,
  pulsar: ({ adapter }) => adapter.pulsar.token === null,
  rabbitmq: ({ adapter }) => !hasUserinfo(adapter.rabbitmq.url),
  'google-pubsub': () => false,
  kafka: ({ adapter }) => adapter.kafka.sasl_username === null,
  iggy: iggyOpen,
  omq: () => true,
};

/** Whether unauthenticated clients could join the adapter's broker; false without a broker. */
export const brokerWithoutAuthentication = (config: Config): boolean => OPEN[config.adapter.driver](config);
