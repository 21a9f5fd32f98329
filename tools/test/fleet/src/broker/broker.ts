import { engine, type EngineHandle } from '@carillon/test-backends';
import { Door } from './door.js';
import { OmqEndpoints } from './omq-endpoints.js';

/** Drivers a fleet can run on. */
export const DRIVERS = [
  'nats',
  'redis',
  'redis-cluster',
  'rabbitmq',
  'google-pubsub',
  'omq',
  'pulsar',
] as const;
export type Driver = (typeof DRIVERS)[number];
/** Drivers with a broker that can be restarted. */
export const BROKER_DRIVERS: readonly Driver[] = DRIVERS.filter((driver) => driver !== 'omq');

/** What every address on the broker begins with. */
const PREFIX = 'fleet';

const PREFIXED: Readonly<Record<Driver, string>> = {
  nats: PREFIX,
  redis: `${PREFIX}:`,
  'redis-cluster': `${PREFIX}:`,
  rabbitmq: PREFIX,
  pulsar: PREFIX,
  'google-pubsub': PREFIX,
  omq: PREFIX,
};

/** The engines of one fleet, its own to be broken: a broker, and the Redis of what nodes share. */
export class Broker {
  private constructor(
    readonly driver: Driver,
    readonly engine: EngineHandle,
    readonly store: EngineHandle,
    private readonly endpoints: OmqEndpoints,
  ) {}

  static async start(driver: Driver): Promise<Broker> {
    const endpoints = await OmqEndpoints.reserve();
    if (driver === 'omq') {
      const store = await engine('redis', { own: true });
      return new Broker(driver, store, store, endpoints);
    }
    const broker = await engine(driver, { own: true });
    // With Redis as the broker, one server is both, as small installations have it.
    const store = driver === 'redis' ? broker : await engine('redis', { own: true });
    return new Broker(driver, broker, store, endpoints);
  }

  /** Whether nodes reach the broker at one address, where a door can stand. */
  get hasDoors(): boolean {
    return this.driver !== 'redis-cluster' && this.driver !== 'omq';
  }

  get prefix(): string {
    return PREFIXED[this.driver];
  }

  /** A proxy to the broker for one node; null: members of a cluster announce their addresses, and omq has no broker. */
  door(): Promise<Door> | null {
    return this.hasDoors ? Door.to(this.engine.port) : null;
  }

  /** Sections of the configuration of the node with this name that lead to the broker and the store. */
  settings(door: Door | null, node: string): Readonly<Record<string, unknown>> {
    const url = this.engine.url.replace(`:${this.engine.port}`, `:${door?.port ?? this.engine.port}`);
    const { prefix } = this;
    const ways: Readonly<Record<Exclude<Driver, 'omq'>, Readonly<Record<string, unknown>>>> = {
      nats: { nats: { servers: [url], prefix } },
      redis: { redis: { prefix, redis_pub_options: { url }, redis_sub_options: { url } } },
      'redis-cluster': { cluster: { prefix, nodes: this.engine.urls } },
      rabbitmq: { rabbitmq: { url, prefix } },
      pulsar: { pulsar: { url, prefix } },
      'google-pubsub': {
        google_pubsub: { project_id: PREFIX, prefix, emulator_host: url.replace('http://', '') },
      },
    };
    const way =
      this.driver === 'omq'
        ? { omq: { prefix, nodes_number: GATEWAYS, ...this.endpoints.of(node) } }
        : ways[this.driver];
    return {
      adapter: { driver: this.driver, cluster_health: HEALTH, ...way },
      cache: { driver: 'redis', redis: { url_override: this.store.url } },
    };
  }

  async release(): Promise<void> {
    await Promise.all([...new Set([this.engine, this.store])].map((one) => one.release()));
  }
}

/** Nodes that answer questions of others; api nodes do not. */
const GATEWAYS = 3;

/** Silence after which others give a node up. */
export const NODE_TIMEOUT_MS = 4000;
const HEALTH = {
  heartbeat_interval_ms: 1000,
  node_timeout_ms: NODE_TIMEOUT_MS,
  cleanup_interval_ms: 1000,
};
