import { type EngineHandle, engine, postgresQuery } from '@carillon/test-backends';
import { Broker } from '../broker/broker.js';
import { Door } from '../broker/door.js';
import { Node, type Role } from '../nodes/node.js';
import { Random } from '../random.js';
import { DurablePublisher } from './durable-publisher.js';

const WRITERS = ['writer-1', 'writer-2'];
const APIS = ['api-1', 'api-2'];
const GATEWAYS = ['gateway-1', 'gateway-2'];

/** What every table begins with: the default. */
export const TABLES = 'service.service_history_';

/** An installation whose channels are durable: two of each process, a broker, Redis and PostgreSQL, all its own. */
export class Installation {
  readonly #databaseDoors = new Map<Node, Door>();

  private constructor(
    readonly broker: Broker,
    readonly database: EngineHandle,
    readonly livesOn: boolean,
    readonly writers: Node[] = [],
    readonly apis: Node[] = [],
    readonly gateways: Node[] = [],
  ) {}

  /** `livesOn`: messages can be changed and annotated; they are committed another way then. */
  static async start(livesOn = false): Promise<Installation> {
    const [broker, database] = await Promise.all([
      Broker.start('nats'),
      engine('postgres', { own: true, durable: true }),
    ]);
    const made = new Installation(broker, database, livesOn);
    try {
      await made.#add(made.writers, 'history-writer', WRITERS);
      await made.#add(made.apis, 'api', APIS);
      await made.#add(made.gateways, 'gateway', GATEWAYS);
      await made.#warmUp();
    } catch (error) {
      await made.release();
      throw error;
    }
    return made;
  }

  get nodes(): readonly Node[] {
    return [...this.writers, ...this.apis, ...this.gateways];
  }

  /** The ways to the database, one for each process that has one. */
  get databaseDoors(): readonly Door[] {
    return [...this.#databaseDoors.values()];
  }

  /** This process's own way to the database. */
  databaseDoorOf(node: Node): Door {
    const door = this.#databaseDoors.get(node);
    if (door === undefined) throw new Error(`${node.name} has no database`);
    return door;
  }

  /** Asks the database itself, past every door; the first column of every row. */
  sql(statement: string): Promise<(string | null)[]> {
    return postgresQuery(this.database.url, statement);
  }

  async release(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.release()));
    for (const door of this.databaseDoors) door.close();
    await Promise.all([this.broker.release(), this.database.release()]);
  }

  /** The first record of a day makes the tables of that day, which on a busy machine takes longer than a publish may. */
  async #warmUp(): Promise<void> {
    const publisher = new DurablePublisher('nobody', this.apis, new Random(1));
    const { acceptedAtMs } = await publisher.publish('warm-up', true);
    if (acceptedAtMs === null) throw new Error('no publish is accepted');
  }

  async #add(nodes: Node[], role: Role, names: readonly string[]): Promise<void> {
    for (const name of names) {
      const door = role === 'gateway' ? null : await Door.to(this.database.port);
      const node = await Node.create(role, name, this.broker, {
        history: { enabled: true },
        ...(this.livesOn
          ? { versioned_messages: { enabled: true, driver: 'postgres' }, annotations: { enabled: true } }
          : {}),
        ...(door === null ? {} : { database: { postgres: this.#addressBehind(door) } }),
      });
      nodes.push(node);
      if (door !== null) this.#databaseDoors.set(node, door);
    }
    await Promise.all(nodes.map((node) => node.start()));
  }

  #addressBehind({ port }: Door): Readonly<Record<string, unknown>> {
    const { username, password, pathname } = new URL(this.database.url);
    return { host: '127.0.0.1', port, username, password, database: pathname.slice(1) };
  }
}
