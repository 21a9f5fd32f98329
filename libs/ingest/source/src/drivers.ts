import type { Config } from '@carillon/config';
import { ConsumerSource } from './consumer/consumer-source.js';
import { Decoder } from './consumer/decoder.js';
import { type LeaseStore, ProcessLease } from './consumer/process-lease.js';
import type { ConsumerDriver, ConsumerSession } from './consumer/session.js';
import type { SourceLog } from './drivers/postgres/options.js';
import { PostgresSource } from './drivers/postgres/postgres-source.js';
import type { IngestSource } from './port.js';

/** Settings of one source. */
export type SourceConfig = Config['ingest']['sources'][number];

export interface SourceParts {
  readonly config: Pick<Config, 'adapter' | 'database' | 'instance' | 'queue'>;
  /** Entries that all processes share. */
  readonly leases: LeaseStore;
  readonly log: SourceLog;
}

/** Makes the source that the settings describe; it connects when it is started. @throws Error for unusable settings */
export function openIngestSource(source: SourceConfig, parts: SourceParts): IngestSource {
  return source.type === 'postgres' ? postgres(source, parts) : consumer(source, parts);
}

function postgres(source: SourceConfig, { log }: SourceParts): IngestSource {
  const options = {
    name: source.name,
    url: source.url?.reveal() ?? '',
    schema: source.schema,
    batchSize: source.batch_size,
    maxInFlight: source.max_in_flight,
    maxInFlightBytes: source.max_in_flight_bytes,
    pollIntervalMs: source.poll_interval_ms,
    busyPollMs: source.busy_poll_ms,
    sessionTimeoutMs: source.session_timeout_ms,
    maxAhead: source.max_ahead,
    idempotencyTtlMs: source.idempotency_ttl_seconds * 1000,
    messageMapDays: source.message_map_days,
    deadLetterDays: source.dead_letter_days,
  };
  return new PostgresSource(options, log);
}

/** The count is two bytes in the protocol. */
const MAX_PREFETCHED = 65_535;

/** Types whose order per channel needs one active process. */
const LEASED: ReadonlySet<SourceConfig['type']> = new Set(['nats', 'redis']);

function consumer(source: SourceConfig, parts: SourceParts): IngestSource {
  const { name, app, format, map, ordered, type } = source;
  const { process_id: processId } = parts.config.instance;
  return new ConsumerSource(
    {
      name,
      batchSize: source.batch_size,
      maxInFlight: source.max_in_flight,
      maxInFlightBytes: source.max_in_flight_bytes,
      drops: source.on_bad === 'drop',
    },
    {
      driver: new LazyDriver(() => driverOf(source, parts)),
      decoder: new Decoder({ source: name, app, format, map }),
      lease: ordered && LEASED.has(type) ? new ProcessLease(parts.leases, name, processId) : null,
      log: parts.log,
    },
  );
}

/** Loads the client library of a driver when it is first opened. */
class LazyDriver implements ConsumerDriver {
  constructor(private readonly load: () => Promise<ConsumerDriver>) {}

  async open(): Promise<ConsumerSession> {
    return (await this.load()).open();
  }
}

async function driverOf(source: SourceConfig, { config }: SourceParts): Promise<ConsumerDriver> {
  const { name, type, ordered, dead_letter: deadLetter } = source;
  const own = `carillon-${name}`;
  const { process_id: processId } = config.instance;
  switch (type) {
    case 'kafka': {
      const { clientConfig } = await import('@carillon/kafka');
      const { KafkaDriver } = await import('./drivers/kafka/kafka-consumer.js');
      return new KafkaDriver({
        client: clientConfig(kafkaSettings(source, config), `ingest source "${name}"`, own),
        topics: source.topics,
        group: source.group ?? own,
        deadLetterTopic: deadLetter.topic,
      });
    }
    case 'nats': {
      const { JetStreamDriver } = await import('./drivers/nats/jetstream.js');
      return new JetStreamDriver({
        settings: natsSettings(source, config),
        connectionName: own,
        stream: source.stream ?? '',
        subject: source.subject,
        durable: source.durable ?? own,
        maxInFlight: source.max_in_flight,
        deadLetterSubject: deadLetter.subject,
        isOrdered: ordered,
      });
    }
    case 'rabbitmq': {
      const { RabbitDriver } = await import('./drivers/rabbitmq/rabbitmq-consumer.js');
      return new RabbitDriver({
        url: source.url?.reveal() ?? '',
        queue: source.queue ?? '',
        prefetch: Math.min(source.prefetch ?? source.max_in_flight, MAX_PREFETCHED),
        deadLetter:
          deadLetter.exchange === null
            ? null
            : { exchange: deadLetter.exchange, routingKey: deadLetter.routing_key ?? '' },
      });
    }
    case 'postgres':
    case 'redis':
    default: {
      const { RedisStreamDriver } = await import('./drivers/redis/redis-stream.js');
      return new RedisStreamDriver(
        {
          url: source.url?.reveal() ?? '',
          stream: source.stream ?? '',
          group: source.group ?? 'carillon',
          consumer: ordered ? own : `${own}-${processId}`,
          deadLetterStream: deadLetter.stream,
          isOrdered: ordered,
        },
        config.database.redis,
      );
    }
  }
}

/** The block of the queue with the brokers and the login of the source. */
const kafkaSettings = (
  source: SourceConfig,
  { queue }: SourceParts['config'],
): Config['adapter']['kafka'] => ({
  ...queue.kafka,
  brokers: source.brokers,
  security_protocol: source.security_protocol,
  sasl_mechanism: source.sasl_mechanism,
  sasl_username: source.username,
  sasl_password: source.password,
});

/** The block of the adapter with the servers and the login of the source. */
const natsSettings = (
  source: SourceConfig,
  { adapter }: SourceParts['config'],
): Config['adapter']['nats'] => ({
  ...adapter.nats,
  servers: source.servers,
  username: source.username,
  password: source.password,
  token: source.token,
  credentials_file: null,
  nkey_seed: null,
  jwt: null,
});
