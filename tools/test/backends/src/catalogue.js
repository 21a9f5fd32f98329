// Every engine there is, those that take longest to start first.
import { ablyPython } from './engines/ably-python.js';
import { cassandra } from './engines/cassandra.js';
import { chromium } from './engines/chromium.js';
import { composeGo } from './engines/compose-go.js';
import { otlpReceiver } from './engines/otlp-receiver.js';
import { deployTools } from './engines/deploy-tools.js';
import { elasticmq } from './engines/elasticmq.js';
import { iggy } from './engines/iggy.js';
import { googlePubsub } from './engines/google-pubsub.js';
import { kafka } from './engines/kafka.js';
import { mariadb } from './engines/mariadb.js';
import { moto } from './engines/moto.js';
import { nats } from './engines/nats.js';
import { postgres } from './engines/postgres.js';
import { pulsar } from './engines/pulsar.js';
import { pushClouds } from './engines/push-clouds.js';
import { pusherGo } from './engines/pusher-go.js';
import { pusherPython } from './engines/pusher-python.js';
import { pysher } from './engines/pysher.js';
import { rabbitmq } from './engines/rabbitmq.js';
import { redisCluster } from './engines/redis-cluster.js';
import { redisSentinel } from './engines/redis-sentinel.js';
import { redis } from './engines/redis.js';
import { surrealdb } from './engines/surrealdb.js';

/** @import { Engine } from './types.js' */

/** @type {readonly Engine[]} */
const ENGINES = [
  cassandra,
  rabbitmq,
  kafka,
  pulsar,
  elasticmq,
  moto,
  redisCluster,
  redisSentinel,
  mariadb,
  postgres,
  chromium,
  deployTools,
  composeGo,
  googlePubsub,
  otlpReceiver,
  pushClouds,
  ablyPython,
  pysher,
  pusherGo,
  pusherPython,
  surrealdb,
  redis,
  iggy,
  nats,
];

/** The names of every engine, sorted. */
export const ENGINE_NAMES = ENGINES.map(({ name }) => name).sort();

/** The engines with these names, slowest first; a name nobody has rejects all of them. @param {readonly string[]} names */
export function enginesNamed(names) {
  const unknown = names.filter((name) => !ENGINE_NAMES.includes(name));
  if (unknown.length > 0) {
    throw new Error(`no engine is called ${unknown.join(', ')}; there are ${ENGINE_NAMES.join(', ')}`);
  }
  return ENGINES.filter(({ name }) => names.includes(name));
}
