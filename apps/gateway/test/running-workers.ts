import { type AddressInfo, createServer } from 'node:net';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { engine } from '@carillon/test-backends';
import {
  freePort,
  programOf,
  rawHttp,
  RawSocketClient,
  type SpawnedNode,
  spawnNode,
} from '@carillon/testing';
import { onTestFinished } from 'vitest';

const MAIN = programOf(fileURLToPath(new URL('../src/main.js', import.meta.url)));

/** Whether a process runs; a zombie does not. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return process.platform !== 'linux' || !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** Resident memory of a process on Linux; 0 elsewhere. */
export function residentBytes(pid: number): number {
  if (process.platform !== 'linux') return 0;
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

/** Waits until something holds; the test's own time is the bound. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((later) => setTimeout(later, 20));
}

/** A gateway of several processes on one port, with a broker of its own. */
export class Workers {
  readonly supervisor: SpawnedNode;
  readonly port: number;
  readonly count: number;
  readonly #metricsPort: number;

  private constructor(supervisor: SpawnedNode, port: number, metricsPort: number, count: number) {
    this.supervisor = supervisor;
    this.port = port;
    this.count = count;
    this.#metricsPort = metricsPort;
  }

  /**
   * Starts them; does not wait. Whatever is left of them ends with the test.
   *
   * @param holdBack the path of a file without which the second worker does not begin to load
   */
  static async start(
    count: number,
    env: Readonly<Record<string, string>> = {},
    holdBack: string | null = null,
  ): Promise<Workers> {
    const { url } = await (await engine('redis')).isolate();
    const port = await freePort();
    const metricsPort = await freePorts(count, port);
    const app = `shop-${port}`;
    const supervisor = spawnNode(MAIN, ['--workers', String(count)], {
      ENVIRONMENT: 'test',
      HOST: '127.0.0.1',
      PORT: String(port),
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: String(metricsPort),
      LOG_OUTPUT_FORMAT: 'json',
      SHUTDOWN_GRACE_PERIOD: '0',
      ADAPTER_DRIVER: 'redis',
      CACHE_DRIVER: 'redis',
      QUEUE_DRIVER: 'none',
      REDIS_URL: url,
      SERVICE_DEFAULT_APP_ID: app,
      SERVICE_DEFAULT_APP_KEY: app,
      SERVICE_DEFAULT_APP_SECRET: 'secret',
      ...(holdBack === null ? {} : { NODE_OPTIONS: `--import=${waitFor(holdBack, metricsPort + 1)}` }),
      ...env,
    });
    const workers = new Workers(supervisor, port, metricsPort, count);
    onTestFinished(async () => {
      await supervisor.kill();
      for (const pid of workers.pids()) if (isAlive(pid)) process.kill(pid, 'SIGKILL');
    });
    return workers;
  }

  async ready(): Promise<void> {
    await this.supervisor.says(/"message":"all workers ready"/);
  }

  /** All workers ever started, in order. */
  pids(): readonly number[] {
    return [...this.supervisor.output.matchAll(/"message":"worker started","worker":\d+,"pid":(\d+)/g)].map(
      ([, pid]) => Number(pid),
    );
  }

  /** Number of matching log lines. */
  said(text: string): number {
    return this.supervisor.output.split(text).length - 1;
  }

  async connect(): Promise<RawSocketClient> {
    const client = await RawSocketClient.open({ port: this.port }, `/app/shop-${this.port}?protocol=7`);
    onTestFinished(() => client.destroy());
    return client;
  }

  /** Connected clients; each has received its connection event. */
  async connectMany(count: number): Promise<readonly RawSocketClient[]> {
    const clients: RawSocketClient[] = [];
    for (let index = 0; index < count; index += 1) {
      const client = await this.connect();
      if (client.answer.status !== 101) throw new Error(`not connected: ${client.answer.status}`);
      await client.nextText();
      clients.push(client);
    }
    return clients;
  }

  /** Sockets of each worker according to its metrics. */
  connected(): Promise<readonly number[]> {
    return Promise.all(
      Array.from({ length: this.count }, async (_, index) => {
        const { body } = await rawHttp(this.#metricsPort + index, { path: '/metrics' });
        return Number(/^service_connected\{[^}]*\} (\d+)/m.exec(body)?.[1] ?? 0);
      }),
    );
  }

  /** Status of a probe; 0 if the port is closed. */
  async probe(path: string): Promise<number> {
    const answer = await rawHttp(this.port, { path }).catch(() => null);
    return answer?.status ?? 0;
  }
}

/** A module that blocks the process with that metrics port until the file exists. */
function waitFor(file: string, metricsPort: number): string {
  const code = `
    import { existsSync } from 'node:fs';
    const cell = new Int32Array(new SharedArrayBuffer(4));
    if (process.env.METRICS_PORT === '${metricsPort}')
      while (!existsSync(${JSON.stringify(file)})) Atomics.wait(cell, 0, 0, 20);`;
  return `data:text/javascript,${encodeURIComponent(code)}`;
}

/** Whether the worker at the other end still answers. */
export async function answers(client: RawSocketClient): Promise<boolean> {
  client.sendText('{"event":"pusher:ping","data":{}}');
  const text = await client.nextText().catch(() => '');
  return text.includes('pusher:pong');
}

/** The first of so many ports in a row that are all free, and none of them that one. */
async function freePorts(count: number, apartFrom: number): Promise<number> {
  for (;;) {
    const first = await freePort();
    if (first <= apartFrom && apartFrom < first + count) continue;
    const rest = Array.from({ length: count }, (_, index) => isFree(first + index));
    if (!(await Promise.all(rest)).includes(false)) return first;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((told) => {
    const server = createServer();
    server.once('error', () => told(false));
    server.listen(port, '127.0.0.1', () => {
      const address = server.address() as AddressInfo;
      server.close(() => told(address.port === port));
    });
  });
}
