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

/** Whether anybody who reaches the adapter's broker could join in; false without a broker. */
export function brokerWithoutAuthentication(config: Config): boolean {
  const { adapter } = config;
  switch (adapter.driver) {
    case 'redis':
      return redisOpen(config);
    case 'redis-cluster':
      return redisClusterOpen(config);
    case 'nats':
      return natsOpen(config);
    case 'pulsar':
      return adapter.pulsar.token === null;
    case 'rabbitmq':
      return !hasUserinfo(adapter.rabbitmq.url);
    case 'kafka':
      return adapter.kafka.sasl_username === null;
    case 'iggy':
      return iggyOpen(config);
    case 'omq':
      return true;
    case 'google-pubsub':
    case 'local':
      return false;
  }
}
