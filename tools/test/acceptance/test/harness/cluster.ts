import { engine, type EngineHandle, SENTINEL_MASTER } from '@carillon/test-backends';
import { freePort } from '@carillon/testing';
import { afterAll, afterEach, beforeAll, describe, expect } from 'vitest';
import { Api } from './api.js';
import type { Client } from './client.js';
import { type Store, STORES } from './every-store.js';
import { Node, type ProcessName } from './node.js';
import type { Tenant } from './tenant.js';

/**
 * Brokers between the processes; what they share lies in Redis with each, or in Redis Cluster with that. Redis behind
 * sentinels is one more, for tests that name it, and so is Google Pub/Sub: its emulator can be slower than the 200 ms that
 * quick questions wait, so that answers are partial.
 */
export const BROKERS = [
  'iggy',
  'kafka',
  'nats',
  'omq',
  'pulsar',
  'rabbitmq',
  'redis',
  'redis-cluster',
] as const;
export type Broker = (typeof BROKERS)[number] | 'google-pubsub' | 'redis-sentinel';

/**
 * One of each kind, for tests that take long: with an address for each channel and without, and what is shared in Redis
 * and in Redis Cluster.
 */
export const KINDS = ['nats', 'rabbitmq', 'redis-cluster'] as const satisfies readonly Broker[];

/** How processes are told where their broker is, by its address and a name of their own on it. */
const WAYS: Readonly<Record<Broker, ((url: string, prefix: string) => Record<string, string>) | null>> = {
  'google-pubsub': (url, prefix) => ({
    GOOGLE_PUBSUB_PROJECT_ID: 'carillon',
    PUBSUB_EMULATOR_HOST: new URL(url).host,
    GOOGLE_PUBSUB_PREFIX: prefix,
  }),
  iggy: (url, prefix) => ({ IGGY_CONNECTION_STRING: url, IGGY_TOPIC_PREFIX: prefix }),
  kafka: (url, prefix) => ({ KAFKA_BROKERS: new URL(url).host, KAFKA_PREFIX: prefix }),
  nats: (url, prefix) => ({ NATS_SERVERS: url, NATS_PREFIX: prefix }),
  // There is no broker: every process has an address of its own.
  omq: null,
  pulsar: (url, prefix) => ({ PULSAR_URL: url, PULSAR_PREFIX: prefix }),
  rabbitmq: (url, prefix) => ({ RABBITMQ_URL: url, RABBITMQ_PREFIX: prefix }),
  // The store, which is nobody else's, is the broker too.
  redis: null,
  'redis-cluster': null,
  'redis-sentinel': null,
};

/** After so long without a sign of life a process is taken for dead, where lives are brief. */
export const NODE_TIMEOUT_MS = 3000;
export const BRIEF_LIVES = {
  CLUSTER_HEALTH_HEARTBEAT_INTERVAL: '500',
  CLUSTER_HEALTH_NODE_TIMEOUT: String(NODE_TIMEOUT_MS),
  CLUSTER_HEALTH_CLEANUP_INTERVAL: '500',
};

/** What a cluster is started with. */
export interface ClusterSetting {
  /** Asked for when the cluster starts, so that they may name addresses that are known only then. */
  readonly tenants: () => readonly Tenant[];
  readonly env?: Readonly<Record<string, string>>;
  /** Sections of the configuration files. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** Besides two gateways and an api node. */
  readonly more?: readonly ProcessName[];
  /** Histories are kept in PostgreSQL, in a corner of its own. */
  readonly database?: boolean;
  /** The broker is nobody else's, to be killed and started again. */
  readonly ownBroker?: boolean;
}

/** Two gateways and an api node, each a process of its own, over a real broker and a real store. */
export class Cluster {
  readonly #nodes: Node[] = [];
  #tenants: readonly Tenant[] = [];
  #env: Readonly<Record<string, string>> = {};
  #config: Readonly<Record<string, unknown>> = {};
  readonly #own: EngineHandle[] = [];
  #corner: Store['release'] = () => undefined;
  /** Addresses of processes that have no broker. */
  #endpoints: readonly string[] = [];

  constructor(
    private readonly broker: Broker,
    private readonly setting: ClusterSetting,
  ) {}

  async start(): Promise<void> {
    const isRedis = this.broker === 'redis-cluster' || this.broker === 'redis-sentinel';
    const driver = this.broker === 'redis-cluster' ? this.broker : 'redis';
    const store = await this.#ownEngine(isRedis ? this.broker : driver);
    this.#config = { ...this.setting.config, ...(this.broker === 'redis-sentinel' ? sentinels(store) : {}) };
    this.#env = {
      ADAPTER_DRIVER: this.broker === 'redis-sentinel' ? driver : this.broker,
      CACHE_DRIVER: driver,
      QUEUE_DRIVER: driver,
      ...(this.broker === 'redis-cluster' ? { REDIS_CLUSTER_NODES: store.url } : {}),
      ...(isRedis ? {} : { REDIS_URL: store.url }),
      ...(await this.#wayToBroker()),
      ...(this.setting.database === true ? await this.#database() : {}),
      ...this.setting.env,
    };
    if (this.broker === 'omq') this.#endpoints = await freeEndpoints();
    this.#tenants = this.setting.tenants();
    // Side by side: a start waits for brokers and stores as long as it works.
    await Promise.all(
      (['gateway', 'gateway', 'api', ...(this.setting.more ?? [])] as const).map((app) => this.add(app)),
    );
  }

  async #ownEngine(name: string): Promise<EngineHandle> {
    const handle = await engine(name, { own: true });
    this.#own.push(handle);
    return handle;
  }

  async #wayToBroker(): Promise<Record<string, string>> {
    const way = WAYS[this.broker];
    if (way === null) return {};
    if (this.setting.ownBroker === true) return way((await this.#ownEngine(this.broker)).url, 'own');
    const { url, name } = await (await engine(this.broker)).isolate();
    return way(url, name);
  }

  async #database(): Promise<Readonly<Record<string, string>>> {
    const { env, release } = await STORES.postgres();
    this.#corner = release;
    return env;
  }

  /** What its processes share: Redis, or a cluster of it. */
  get store(): EngineHandle {
    return this.#ownAt(0);
  }

  /** With `ownBroker`: what carries messages between its processes. */
  get ownBroker(): EngineHandle {
    return this.#ownAt(1);
  }

  #ownAt(index: number): EngineHandle {
    const handle = this.#own[index];
    if (handle === undefined) throw new Error('it has no such engine of its own');
    return handle;
  }

  /** One process more. */
  async add(app: ProcessName): Promise<Node> {
    const role: Record<string, string> = app === 'api' ? { SERVICE_SERVER_ROLE: 'api' } : {};
    const node = new Node(app, {
      tenants: this.#tenants,
      env: { ...this.#env, ...role, ...this.#ownEndpoint() },
      config: this.#config,
    });
    this.#nodes.push(node);
    await node.start();
    return node;
  }

  /** Where the next process listens, and all others. Empty: they have a broker. */
  #ownEndpoint(): Readonly<Record<string, string>> {
    if (this.broker !== 'omq') return {};
    const endpoint = this.#endpoints[this.#nodes.length];
    if (endpoint === undefined) throw new Error('more processes than addresses');
    return {
      OMQ_BIND_ENDPOINT: endpoint,
      OMQ_CONNECT_ENDPOINTS: this.#endpoints.join(','),
      // Gateways: api nodes answer no questions.
      OMQ_NODES_NUMBER: '2',
    };
  }

  /** What every process of it has in its environment. */
  get env(): Readonly<Record<string, string>> {
    return this.#env;
  }

  /** The gateways that run, in the order they were added. */
  get gateways(): readonly Node[] {
    return this.#nodes.filter(({ app, process }) => app === 'gateway' && process.isRunning);
  }

  /** History-writers that run, in the order they were added. */
  get writers(): readonly Node[] {
    return this.#nodes.filter(({ app, process }) => app === 'history-writer' && process.isRunning);
  }

  gateway(index: 0 | 1): Node {
    return this.#one(this.gateways[index]);
  }

  get apiNode(): Node {
    return this.#one(this.#nodes.find(({ app }) => app === 'api'));
  }

  get tenant(): Tenant {
    const [first] = this.#tenants;
    if (first === undefined) throw new Error('the setting has no app');
    return first;
  }

  /** As behind a proxy: calls about live sockets reach a gateway, all others the api node. */
  api(live: 0 | 1 = 0, tenant = this.tenant): Api {
    return new Api({ live: this.gateway(live).port, other: this.apiNode.port }, tenant);
  }

  connect(index: 0 | 1, tenant = this.tenant): Promise<Client> {
    return this.gateway(index).connect(tenant);
  }

  /** A connection to each gateway. */
  async both(tenant = this.tenant): Promise<readonly [Client, Client]> {
    return [await this.connect(0, tenant), await this.connect(1, tenant)];
  }

  dropClients(): void {
    for (const node of this.#nodes) node.dropClients();
  }

  /** Every process that still runs must end well, and none may have complained. */
  async stop(): Promise<void> {
    try {
      await this.#stop();
    } finally {
      await this.#corner();
      for (const handle of this.#own) await handle.release();
    }
  }

  async #stop(): Promise<void> {
    expect(this.#nodes.flatMap(({ process }) => process.crash ?? [])).toEqual([]);
    const running = this.#nodes.filter(({ process }) => process.isRunning);
    const codes = await Promise.all(running.map((node) => node.stop()));
    expect(codes).toEqual(running.map(() => 0));
    expect(this.#nodes.flatMap((node) => node.complaints())).toEqual([]);
  }

  #one(node: Node | undefined): Node {
    if (node === undefined) throw new Error('no such process');
    return node;
  }
}

const MAX_PROCESSES = 8;

/** Addresses on which nothing listens. */
async function freeEndpoints(): Promise<readonly string[]> {
  const ports = await Promise.all(Array.from({ length: MAX_PROCESSES }, freePort));
  return ports.map((port) => `tcp://127.0.0.1:${port}`);
}

/** The section of configuration files that leads to Redis by its sentinels. */
const sentinels = ({ urls }: EngineHandle): Readonly<Record<string, unknown>> => ({
  database: {
    redis: {
      name: SENTINEL_MASTER,
      sentinels: urls.map((url: string) => ({
        host: new URL(url).hostname,
        port: Number(new URL(url).port),
      })),
    },
  },
});

/** The same tests for one cluster over each of these brokers. */
export function onCluster(
  title: string,
  brokers: readonly Broker[],
  setting: ClusterSetting,
  tests: (cluster: Cluster) => void,
): void {
  describe.each(brokers)(`${title} (%s)`, (broker) => {
    const cluster = new Cluster(broker, setting);
    beforeAll(() => cluster.start());
    afterEach(() => cluster.dropClients());
    tests(cluster);
    afterAll(() => cluster.stop());
  });
}
