import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  programOf,
  type RawAnswer,
  type RawRequest,
  rawHttp,
  type SpawnedNode,
  spawnNode,
} from '@carillon/testing';

const MAIN = programOf(fileURLToPath(new URL('../src/main.js', import.meta.url)));

/** Free ports, one app, JSON logs, a short stop: what most tests want. */
export const QUICK = {
  ENVIRONMENT: 'test',
  HOST: '127.0.0.1',
  PORT: '0',
  METRICS_ENABLED: 'false',
  LOG_OUTPUT_FORMAT: 'json',
  SHUTDOWN_GRACE_PERIOD: '0',
  SERVICE_DEFAULT_APP_ID: 'shop',
  SERVICE_DEFAULT_APP_KEY: 'shop-key',
  SERVICE_DEFAULT_APP_SECRET: 'shop-secret',
};

/** The program itself in a process of its own, for starts that are expected to fail too. */
export const runServer = (args: readonly string[] = [], env: Record<string, string> = {}): SpawnedNode =>
  spawnNode(MAIN, args, { ...QUICK, ...env });

export interface RunningServer {
  readonly process: SpawnedNode;
  readonly port: number;
  request(path: string, more?: RawRequest): Promise<RawAnswer>;
}

/** A server that has said it is ready. */
export async function startServer(
  env: Record<string, string> = {},
  args: readonly string[] = [],
): Promise<RunningServer> {
  const process = runServer(args, env);
  const [, port = ''] = await process.says(/"message":"ready","listening":"https?:\/\/[^"]*?:(\d+)"/);
  return {
    process,
    port: Number(port),
    request: (path, more = {}) => rawHttp(Number(port), { path, ...more }),
  };
}

/** A configuration file in a folder of its own. */
export function configFile(name: string, text: string): string {
  const path = join(mkdtempSync(join(tmpdir(), 'carillon-config-')), name);
  writeFileSync(path, text);
  return path;
}
