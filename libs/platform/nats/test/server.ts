import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { CERTIFICATE, PRIVATE_KEY } from './tls-fixture.js';

/** Addresses of a server: `nats://…` and, where it has one, `ws://…`. */
export interface Addresses {
  readonly nats: string;
  readonly websocket: string;
  readonly cluster: string;
  readonly certificateFile: string;
  /** Stops the server; otherwise stopped after the test. */
  readonly stop: () => Promise<void>;
}

/** Runs a real nats-server with this configuration, on free ports; `$folder` names a folder with its certificate. */
export async function natsServer(configuration: string): Promise<Addresses> {
  const folder = await mkdtemp(join(tmpdir(), 'carillon-nats-'));
  const file = join(folder, 'nats.conf');
  const certificateFile = join(folder, 'cert.pem');
  await writeFile(certificateFile, CERTIFICATE);
  await writeFile(join(folder, 'key.pem'), PRIVATE_KEY);
  await writeFile(
    file,
    `host: "127.0.0.1"\nport: -1\nports_file_dir: "${folder}"\n${configuration.replaceAll('$folder', folder)}`,
  );
  const server = spawn('nats-server', ['-c', file], { stdio: 'ignore' });
  const exited = once(server, 'exit');
  const stop = async (): Promise<void> => {
    server.kill('SIGKILL');
    await exited;
  };
  onTestFinished(async () => {
    await stop();
    await rm(folder, { recursive: true });
  });
  const ports = await vi.waitFor(async () => {
    const name = (await readdir(folder)).find((entry) => entry.endsWith('.ports'));
    if (name === undefined) throw new Error('the server does not listen yet');
    return JSON.parse(await readFile(join(folder, name), 'utf8')) as Record<string, string[]>;
  }, 10_000);
  const [nats = '', websocket = '', cluster = ''] = ['nats', 'websocket', 'cluster'].map(
    (kind) => ports[kind]?.[0],
  );
  return { nats, websocket, cluster, certificateFile, stop };
}
