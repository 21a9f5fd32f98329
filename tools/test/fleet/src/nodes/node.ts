import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROCESS_ENV, programOf, rawHttp, type SpawnedNode, spawnNode } from '@carillon/testing';
import type { Broker } from '../broker/broker.js';
import type { Door } from '../broker/door.js';
import { Socket } from '../clients/socket.js';
import { TREE } from '../releases/tree.js';
import { TENANT } from '../tenant.js';
import { trouble } from './trouble.js';

export type Role = 'gateway' | 'api' | 'history-writer';

/** Sections of a configuration beside those of the broker. */
export type Sections = Readonly<Record<string, unknown>>;

/** How often it is waited for once more. */
const PATIENCE = 2;

const READY = /"message":"ready","listening":"http:\/\/[^"]*?:(\d+)","metrics":"http:\/\/[^"]*?:(\d+)\//;

const ENV: Readonly<Record<string, string>> = {
  ...PROCESS_ENV,
  SHUTDOWN_GRACE_PERIOD: '1',
};

/** A machine that runs a whole fleet and other work may be slow to start one more process. */
async function readiness(started: SpawnedNode): Promise<RegExpExecArray> {
  for (let patience = PATIENCE; ; patience -= 1) {
    try {
      return await started.says(READY);
    } catch (error) {
      if (!started.isRunning || patience === 0) throw error;
    }
  }
}

/** One process of the fleet, and its own way to the broker, which outlives the process. */
export class Node {
  readonly role: Role;
  readonly name: string;
  readonly door: Door | null;
  readonly #broker: Broker;
  readonly #sections: Sections;
  readonly #tree: string;
  #process: SpawnedNode | null = null;
  #metricsPort = 0;
  #resident: Socket | null = null;
  port = 0;

  private constructor(
    role: Role,
    name: string,
    broker: Broker,
    door: Door | null,
    sections: Sections,
    tree: string,
  ) {
    this.role = role;
    this.name = name;
    this.#broker = broker;
    this.door = door;
    this.#sections = sections;
    this.#tree = tree;
  }

  /** `tree`: the root of the build that is run. */
  static async create(
    role: Role,
    name: string,
    broker: Broker,
    sections: Sections = {},
    tree = TREE,
  ): Promise<Node> {
    return new Node(role, name, broker, await broker.door(), sections, tree);
  }

  get isRunning(): boolean {
    return this.#process?.isRunning === true;
  }

  /** Starts a process under this name; a new one when there was one. Resolves when it says that it is ready. */
  async start(): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-fleet-'));
    const file = join(folder, 'config.json');
    const config = {
      ...this.#broker.settings(this.door, this.name),
      app_manager: { array: { apps: [TENANT] } },
      ...this.#sections,
    };
    writeFileSync(file, JSON.stringify(config));
    const main = programOf(join(this.#tree, `apps/${this.role}/dist/src/main.js`));
    const role: Record<string, string> = this.role === 'api' ? { SERVICE_SERVER_ROLE: 'api' } : {};
    const started = spawnNode(main, ['--config', file], { ...ENV, ...role });
    this.#process = started;
    const [, port, metricsPort] = await readiness(started);
    rmSync(folder, { recursive: true });
    this.port = Number(port);
    this.#metricsPort = Number(metricsPort);
    await this.welcomeResident();
  }

  /** Lets a client in that asks for nothing, so that a gateway is not empty between two runs. */
  async welcomeResident(): Promise<void> {
    if (this.role === 'gateway') this.#resident = await Socket.open(this.port, () => {});
  }

  dismissResident(): void {
    this.#resident?.vanish();
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    await this.#process?.kill('SIGKILL');
  }

  /** Ends it as an operator does; resolves with its exit code. */
  async stop(): Promise<number | null> {
    return (await this.#process?.kill('SIGTERM')) ?? null;
  }

  /** It stands still: connections stay open, nothing answers. */
  freeze(): void {
    this.#process?.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#process?.child.kill('SIGCONT');
  }

  /** The sum of a metric over its labels, or over those that hold this text. */
  async metric(name: string, label = ''): Promise<number> {
    const { body } = await rawHttp(this.#metricsPort, { path: '/metrics' });
    const lines = body
      .split('\n')
      .filter((line) => new RegExp(`^service_${name}[ {]`).test(line) && line.includes(label));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  /** Lines of its log that no fault excuses. */
  get trouble(): string[] {
    return trouble(this.#process?.output ?? '').map((line) => `${this.name}: ${line}`);
  }

  get log(): string {
    return this.#process?.output ?? '';
  }

  async release(): Promise<void> {
    this.thaw();
    await this.kill();
    this.door?.close();
  }
}
