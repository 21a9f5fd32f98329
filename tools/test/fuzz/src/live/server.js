import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort, rawHttp, spawnNode } from '@carillon/testing';
import { CONFIGURATION } from './apps.js';

const MAIN = fileURLToPath(new URL('../../../../../apps/server/dist/src/main.js', import.meta.url));

/** What a log must not hold, however hostile the clients: something escaped or was not expected. */
const TROUBLE = /uncaught|unhandled|\b(?:Type|Range|Reference|Syntax)Error\b|"level":"(?:ERROR|FATAL)"/i;

/** The first line of a log that tells of trouble; null when there is none. @param {string} log */
export const troubleIn = (log) => log.split('\n').find((line) => TROUBLE.test(line)) ?? null;

/** The server process under fire. */
export class ServerUnderFire {
  /** @param {import('@carillon/testing').SpawnedNode} child @param {number} port @param {number} metricsPort @param {string} folder */
  constructor(child, port, metricsPort, folder) {
    this.child = child;
    this.port = port;
    this.metricsPort = metricsPort;
    this.folder = folder;
  }

  static async start() {
    const folder = mkdtempSync(join(tmpdir(), 'carillon-fuzz-'));
    const file = join(folder, 'apps.toml');
    writeFileSync(file, CONFIGURATION);
    const metricsPort = await freePort();
    const child = spawnNode(MAIN, ['--config', file], {
      ENVIRONMENT: 'test',
      HOST: '127.0.0.1',
      PORT: '0',
      METRICS_ENABLED: 'true',
      METRICS_HOST: '127.0.0.1',
      METRICS_PORT: String(metricsPort),
      LOG_OUTPUT_FORMAT: 'json',
      SHUTDOWN_GRACE_PERIOD: '0',
    });
    const [, port = ''] = await child.says(/"message":"ready","listening":"https?:\/\/[^"]*?:(\d+)"/);
    return new ServerUnderFire(child, Number(port), metricsPort, folder);
  }

  /** The sum of a metric over its labels. @param {string} name @param {string} [labels] a piece of the labels */
  async metric(name, labels = '') {
    const { body } = await rawHttp(this.metricsPort, { path: '/metrics' });
    const lines = body.split('\n').filter((line) => line.startsWith(name) && line.includes(labels));
    return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  memoryBytes() {
    return this.metric('process_resident_memory_bytes');
  }

  /** Why it is not well; null when it is. @returns {Promise<string | null>} */
  async ailment() {
    const line = troubleIn(this.child.output);
    if (line !== null) return `the log says ${line.slice(0, 2000)}`;
    if (!this.child.isRunning)
      return `the process ended with ${this.child.exitCode}: ${this.child.output.slice(-2000)}`;
    const { status } = await rawHttp(this.port, { path: '/live' });
    return status === 200 ? null : `/live answers ${status}`;
  }

  async stop() {
    await this.child.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}
