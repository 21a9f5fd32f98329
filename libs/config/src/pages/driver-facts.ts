/** Client library and test backend of the drivers of one kind of server. */
interface Server {
  /** npm package; null: code of this repository over Node. */
  readonly library: string | null;
  /** Whether the library is an optional peer dependency, which images built with `DRIVERS=common` leave out. */
  readonly isOptional?: true;
  /** The server or test double that `npm test` runs the driver against. */
  readonly backend: string;
  /** Behaviour that those tests do not show. */
  readonly notProven?: string;
}

/** Capabilities of the queue of a driver; a job that needs more is refused. */
export interface QueueFacts {
  readonly delayedDelivery: boolean;
  readonly deduplication: boolean;
  readonly deadLetter: boolean;
  readonly observableLag: boolean;
  readonly fairOwners: boolean;
}

const REDIS: Server = { library: 'ioredis', backend: 'Redis 7 (single, sentinels)' };
const REDIS_CLUSTER: Server = { library: 'ioredis', backend: 'Redis 7 cluster of three masters' };
const NATS: Server = { library: '@nats-io/transport-node', backend: 'nats-server 2.9 and 2.11' };
const RABBITMQ: Server = { library: 'amqplib', isOptional: true, backend: 'RabbitMQ 3.10' };
const KAFKA: Server = { library: 'kafkajs', isOptional: true, backend: 'Apache Kafka 4.4, one broker' };
const PULSAR: Server = {
  library: 'ws',
  backend: 'Apache Pulsar 4.0 standalone, WebSocket API',
  notProven: 'several brokers; tokens in the test suite',
};
const GOOGLE: Server = {
  library: '@google-cloud/pubsub',
  isOptional: true,
  backend: 'pstest emulator 2.9',
  notProven: 'the service of Google: IAM, quotas, throughput of ordering keys',
};
const IGGY: Server = {
  library: null,
  backend: 'stand-in of the HTTP API',
  notProven: 'a real server: none is available as a package',
};
const POSTGRES: Server = { library: 'pg', backend: 'PostgreSQL 15, and PGlite when embedded' };
const MYSQL: Server = {
  library: 'mysql2',
  isOptional: true,
  backend: 'MariaDB 10.11',
  notProven: 'MySQL of Oracle',
};
const DYNAMODB: Server = {
  library: '@aws-sdk/client-dynamodb',
  isOptional: true,
  backend: 'moto 5.2',
  notProven: 'the service of AWS: durability, throttling, conflicts under load',
};
const SCYLLA: Server = {
  library: 'cassandra-driver',
  isOptional: true,
  backend: 'Apache Cassandra 5.0, one node',
  notProven: 'ScyllaDB itself, several nodes or data centers, TLS',
};
const SURREAL: Server = {
  library: 'surrealdb',
  isOptional: true,
  backend: 'SurrealDB 3.0 engine (RocksDB) behind a WebSocket proxy',
  notProven: 'the server of SurrealDB; permissions of non-root users',
};
const NONE: Server = { library: null, backend: 'in the process' };

/** Drivers by setting. Tests of each package compare the names with the drivers of this build. */
export const DRIVER_FACTS: Readonly<Record<string, Readonly<Record<string, Server>>>> = {
  'adapter.driver': {
    local: NONE,
    redis: REDIS,
    'redis-cluster': REDIS_CLUSTER,
    rabbitmq: RABBITMQ,
    kafka: KAFKA,
    pulsar: PULSAR,
    iggy: IGGY,
    nats: NATS,
    omq: {
      library: 'zeromq',
      isOptional: true,
      backend: 'ZeroMQ 4.3 in the process',
      notProven: 'encryption: it has none',
    },
    'google-pubsub': GOOGLE,
  },
  'queue.driver': {
    memory: NONE,
    redis: REDIS,
    'redis-cluster': REDIS_CLUSTER,
    nats: { ...NATS, library: '@nats-io/jetstream' },
    rabbitmq: RABBITMQ,
    kafka: KAFKA,
    'google-pubsub': GOOGLE,
    pulsar: PULSAR,
    iggy: IGGY,
    sqs: {
      library: '@aws-sdk/client-sqs',
      isOptional: true,
      backend: 'ElasticMQ 1.7',
      notProven: 'the service of AWS',
    },
    sns: {
      library: '@aws-sdk/client-sns',
      isOptional: true,
      backend: 'moto 5.2',
      notProven: 'the service of AWS',
    },
    none: NONE,
  },
  'app_manager.driver': {
    dynamodb: DYNAMODB,
    memory: NONE,
    mysql: MYSQL,
    postgres: POSTGRES,
    surrealdb: SURREAL,
    scylladb: SCYLLA,
  },
  'history.backend': {
    memory: NONE,
    mysql: MYSQL,
    dynamodb: DYNAMODB,
    scylladb: SCYLLA,
    surrealdb: SURREAL,
    postgres: POSTGRES,
  },
  'push.storage_driver': {
    memory: NONE,
    postgres: POSTGRES,
    mysql: MYSQL,
    dynamodb: DYNAMODB,
    scylladb: SCYLLA,
    surrealdb: SURREAL,
  },
};

const BROKER: QueueFacts = {
  delayedDelivery: false,
  deduplication: false,
  deadLetter: true,
  observableLag: true,
  fairOwners: false,
};
const STORE: QueueFacts = {
  delayedDelivery: true,
  deduplication: true,
  deadLetter: true,
  observableLag: true,
  fairOwners: true,
};
const NO_LAG: QueueFacts = { ...BROKER, observableLag: false };

/** Capabilities of queues with default settings; the queue's tests compare them with those of the drivers. */
export const QUEUE_FACTS: Readonly<Record<string, QueueFacts>> = {
  memory: STORE,
  redis: STORE,
  'redis-cluster': STORE,
  nats: BROKER,
  rabbitmq: BROKER,
  kafka: BROKER,
  'google-pubsub': NO_LAG,
  pulsar: NO_LAG,
  iggy: NO_LAG,
  sqs: { ...BROKER, delayedDelivery: true },
  sns: { ...NO_LAG, deadLetter: false },
  none: { ...NO_LAG, deadLetter: false },
};
