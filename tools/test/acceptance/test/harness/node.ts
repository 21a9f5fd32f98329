import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  PROCESS_ENV,
  programOf,
  type RawAnswer,
  rawHttp,
  type RawRequest,
  RawSocketClient,
  type SpawnedNode,
  spawnNode,
} from '@carillon/testing';
import { Api } from './api.js';
import { Client } from './client.js';
import { eventually } from './eventually.js';
import { Scrape } from './scrape.js';
import type { Tenant } from './tenant.js';

/** Only the apps of the file. */
const QUICK: Readonly<Record<string, string>> = {
  ...PROCESS_ENV,
  // The database that comes along takes its time where everything else runs too.
  STARTUP_TIMEOUT_MS: '55000',
  SERVICE_DEFAULT_APP_ID: '',
  SERVICE_DEFAULT_APP_KEY: '',
  SERVICE_DEFAULT_APP_SECRET: '',
};

/** The apps that hold sockets. */
export const APPS = ['server', 'gateway'] as const;
/** What serves the HTTP API: the same, and two gateways with an api node, joined in one process. */
export const HTTP_APPS = [...APPS, 'group'] as const;
export type AppName = (typeof HTTP_APPS)[number];
/** An app that may be in a process of its own, with sockets or without. */
export type ProcessName =
  | AppName
  | 'api'
  | 'history-writer'
  | 'ingest'
  | 'mcp-gateway'
  | 'push-dispatch'
  | 'push-feedback'
  | 'push-planner'
  | 'webhook-worker';

const MAINS: Readonly<Record<ProcessName, string>> = {
  server: '../../../../../../apps/server/dist/src/main.js',
  gateway: '../../../../../../apps/gateway/dist/src/main.js',
  api: '../../../../../../apps/api/dist/src/main.js',
  'mcp-gateway': '../../../../../../apps/mcp-gateway/dist/src/main.js',
  group: './group-main.js',
  'history-writer': '../../../../../../apps/history-writer/dist/src/main.js',
  ingest: '../../../../../../apps/ingest/dist/src/main.js',
  'push-dispatch': '../../../../../../apps/push-dispatch/dist/src/main.js',
  'push-feedback': '../../../../../../apps/push-feedback/dist/src/main.js',
  'push-planner': '../../../../../../apps/push-planner/dist/src/main.js',
  'webhook-worker': '../../../../../../apps/webhook-worker/dist/src/main.js',
};

const READY = /"message":"ready","listening":"http:\/\/[^"]*?:(\d+)","metrics":"http:\/\/[^"]*?:(\d+)\//;
const ALL_READY = new RegExp(Array.from({ length: 3 }, () => READY.source).join('[^]*'));

/** What a process is started with. */
export interface Setting {
  readonly tenants: readonly Tenant[];
  readonly env?: Readonly<Record<string, string>>;
  /** Sections of the configuration file besides the apps. */
  readonly config?: Readonly<Record<string, unknown>>;
}

/** How a client connects. */
export interface ConnectOptions {
  readonly query?: string;
  /** Of a group, to which of its gateways; absent: the first. */
  readonly gateway?: 1 | 2;
  readonly headers?: Readonly<Record<string, string>>;
}

interface LogLine {
  readonly level: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** One of the apps in a process of its own, and the clients that a test has opened to it. */
export class Node {
  readonly app: ProcessName;
  readonly #setting: Setting;
  readonly #clients: Client[] = [];
  #process: SpawnedNode | null = null;
  #ports: readonly number[] = [];
  #metricsPort = 0;
  #file: string | null = null;

  constructor(app: ProcessName, setting: Setting) {
    this.app = app;
    this.#setting = setting;
  }

  /** Resolves when it says that it is ready. */
  async start(): Promise<void> {
    const { config = {}, env = {} } = this.#setting;
    const file = this.#write(config);
    const main = programOf(fileURLToPath(new URL(MAINS[this.app], import.meta.url)));
    this.#process = spawnNode(main, ['--config', file], { ...QUICK, ...env });
    const [, ...numbers] = await this.#process.says(this.app === 'group' ? ALL_READY : READY);
    rmSync(dirname(file), { recursive: true });
    this.#ports = numbers.filter((_, index) => index % 2 === 0).map(Number);
    this.#metricsPort = Number(numbers[1]);
  }

  /** The configuration file with these sections, in a folder of its own or where one was. */
  #write(config: Readonly<Record<string, unknown>>): string {
    this.#file ??= join(mkdtempSync(join(tmpdir(), 'carillon-acceptance-')), 'config.json');
    mkdirSync(dirname(this.#file), { recursive: true });
    const apps = { app_manager: { array: { apps: this.#setting.tenants } } };
    writeFileSync(this.#file, JSON.stringify({ ...config, ...apps }));
    return this.#file;
  }

  /** Has it read these sections instead; rejects with what it says when it does not take them. */
  async reload(config: Readonly<Record<string, unknown>>): Promise<void> {
    const file = this.#write(config);
    const said = (): LogLine[] =>
      this.log.filter(({ fields }) => /read again/.test(String(fields['message'])));
    const before = said().length;
    this.process.child.kill('SIGHUP');
    const line = await eventually(() => {
      const one = said()[before];
      if (one === undefined) throw new Error('it has not read the configuration again');
      return one;
    });
    rmSync(dirname(file), { recursive: true });
    if (line.level === 'ERROR') throw new Error(String(line.fields['error']));
  }

  get process(): SpawnedNode {
    if (this.#process === null) throw new Error('not started');
    return this.#process;
  }

  /** Where sockets connect, and where the HTTP API tells about them; of a group, the first gateway. */
  get port(): number {
    return this.#ports[0] ?? 0;
  }

  /** Where servers publish: of a group, the api node. */
  get apiPort(): number {
    return this.#ports.at(-1) ?? 0;
  }

  /** The first app of the setting, for tests that need only one. */
  get tenant(): Tenant {
    const [first] = this.#setting.tenants;
    if (first === undefined) throw new Error('the setting has no app');
    return first;
  }

  /** Lines of the log so far. */
  get log(): LogLine[] {
    const lines = this.process.output.split('\n').slice(0, -1);
    return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as LogLine);
  }

  /** A handshake that may be refused. */
  upgrade(
    path: string,
    headers: Readonly<Record<string, string>> = {},
    port = this.port,
  ): Promise<RawSocketClient> {
    return RawSocketClient.open(port, path, headers);
  }

  /** A WebSocket whose first frame is not read yet; fails when the upgrade is refused. */
  async socket(
    tenant = this.tenant,
    { query = 'protocol=7', headers, gateway = 1 }: ConnectOptions = {},
  ): Promise<Client> {
    const raw = await this.upgrade(`/app/${tenant.key}?${query}`, headers, this.gatewayPort(gateway));
    const client = new Client(raw, tenant);
    this.#clients.push(client);
    if (raw.answer.status !== 101) throw new Error(`HTTP ${raw.answer.status}: ${raw.answer.body}`);
    return client;
  }

  /** An established connection. */
  async connect(tenant = this.tenant, options?: ConnectOptions): Promise<Client> {
    return (await this.socket(tenant, options)).established();
  }

  api(tenant = this.tenant): Api {
    return new Api({ live: this.port, other: this.apiPort }, tenant);
  }

  /** One app's HTTP API alone, as a server library without a proxy in front of the service uses it. */
  apiAt(port: number, tenant = this.tenant): Api {
    return new Api({ live: port, other: port }, tenant);
  }

  request(request: RawRequest, port = this.port): Promise<RawAnswer> {
    return rawHttp(port, request);
  }

  /** An app that is no group has but one. */
  gatewayPort(gateway: 1 | 2): number {
    return this.app === 'group' ? (this.#ports[gateway - 1] ?? 0) : this.port;
  }

  async metrics(): Promise<Scrape> {
    return new Scrape((await rawHttp(this.#metricsPort, { path: '/metrics' })).body);
  }

  /** Ends what a test has opened. */
  dropClients(): void {
    for (const client of this.#clients.splice(0)) client.vanish();
  }

  /** Ends the process as an operator does; resolves with its exit code. */
  stop(): Promise<number | null> {
    return this.process.kill('SIGTERM');
  }

  /** What no test may leave behind: errors in the log, and credentials anywhere in it. */
  complaints(): string[] {
    const { output } = this.process;
    const secrets = this.#setting.tenants.flatMap(({ id, key, secret }) => [
      ...(output.includes(secret) ? [`the secret of ${id} is in the log`] : []),
      ...(output.includes(key) ? [`the key of ${id} is in the log`] : []),
    ]);
    const errors = this.log.filter(({ level }) => level === 'ERROR').map((line) => JSON.stringify(line));
    return [...errors, ...secrets];
  }
}
