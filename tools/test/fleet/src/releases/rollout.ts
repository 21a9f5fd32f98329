import { engine, type EngineHandle } from '@carillon/test-backends';
import { Broker } from '../broker/broker.js';
import { Node, type Role, type Sections } from '../nodes/node.js';
import { TENANT } from '../tenant.js';

/** SQL dialects and the test backends that speak them. */
const BACKENDS = { postgres: 'postgres', mysql: 'mariadb' } as const;
export type Dialect = keyof typeof BACKENDS;

/** An installation whose processes come from different builds, with all its tables in one empty database. */
export class Rollout {
  readonly #nodes: Node[] = [];

  private constructor(
    readonly broker: Broker,
    readonly database: EngineHandle,
    private readonly sections: Sections,
  ) {}

  static async begin(dialect: Dialect): Promise<Rollout> {
    const broker = await Broker.start('nats');
    const database = await engine(BACKENDS[dialect], { own: true });
    const { hostname: host, port, username, password, pathname } = new URL(database.url);
    const address = { host, port: Number(port), username, password, database: pathname.slice(1) };
    return new Rollout(broker, database, {
      app_manager: { driver: dialect, array: { apps: [TENANT] } },
      database: { [dialect]: address, redis: { host: '127.0.0.1', port: broker.store.port } },
      history: { enabled: true, backend: dialect },
      versioned_messages: { enabled: true, driver: dialect },
      annotations: { enabled: true },
      push: { storage_driver: dialect, queue_driver: 'redis' },
    });
  }

  /** Starts a process of the build in this tree; resolves when it is ready. */
  async start(role: Role, tree?: string): Promise<Node> {
    const name = `${role}-${this.#nodes.length + 1}`;
    const node = await Node.create(role, name, this.broker, this.sections, tree);
    this.#nodes.push(node);
    await node.start();
    return node;
  }

  async release(): Promise<void> {
    await Promise.all(this.#nodes.map((node) => node.release()));
    await Promise.all([this.broker.release(), this.database.release()]);
  }
}
