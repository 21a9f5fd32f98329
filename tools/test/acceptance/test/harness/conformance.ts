import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnNode } from '@carillon/testing';

/**
 * Stands in front of an endpoint for a suite that knows neither its token nor its names: it adds the one and says the
 * others. Answers pass as they are.
 */
export class Interpreter {
  readonly #server: Server;

  constructor(port: () => number, token: string, words: Readonly<Record<string, string>>) {
    const translated = (body: string): string =>
      Object.entries(words).reduce(
        (text, [theirs, ours]) => text.replaceAll(`"${theirs}"`, `"${ours}"`),
        body,
      );
    this.#server = createServer((from, to) => {
      const chunks: Buffer[] = [];
      from.on('data', (chunk: Buffer) => chunks.push(chunk));
      from.on('end', () => {
        const body = translated(Buffer.concat(chunks).toString());
        const { 'content-length': _length, ...headers } = from.headers;
        const onward = request({
          port: port(),
          host: '127.0.0.1',
          method: from.method,
          path: from.url,
          headers: {
            ...headers,
            authorization: `Bearer ${token}`,
            ...(body === '' ? {} : { 'content-length': Buffer.byteLength(body) }),
          },
        });
        onward.on('response', (answer) => {
          to.writeHead(answer.statusCode ?? 502, answer.headers);
          answer.pipe(to);
        });
        onward.on('error', () => to.destroy());
        to.on('close', () => onward.destroy());
        onward.end(body);
      });
    });
  }

  /** Resolves with its port. */
  async listen(): Promise<number> {
    await new Promise<void>((done) => void this.#server.listen(0, '127.0.0.1', done));
    return (this.#server.address() as AddressInfo).port;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

interface Check {
  readonly id: string;
  readonly status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'INFO' | 'SKIPPED';
  readonly errorMessage?: string;
}

/** What the official suite finds: for every scenario that it has, what failed in it. */
export async function conformance(port: number): Promise<Readonly<Record<string, readonly string[]>>> {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-conformance-'));
  const main = fileURLToPath(new URL('./run-conformance.js', import.meta.url));
  const url = `http://127.0.0.1:${port}/mcp`;
  const suite = spawnNode(main, ['server', '--url', url, '--suite', 'all', '-o', folder]);
  try {
    await suite.says(/=== SUMMARY ===[^]*Total: /);
    const found = readdirSync(folder).map((name): [string, string[]] => {
      const checks = JSON.parse(readFileSync(join(folder, name, 'checks.json'), 'utf8')) as Check[];
      const failed = checks.filter(({ status }) => status === 'FAILURE');
      const [, scenario = name] = /^server-(.*)-\d{4}-\d\d-\d\dT[\dZ-]+$/.exec(name) ?? [];
      return [scenario, failed.map(({ id, errorMessage = '' }) => `${id}: ${errorMessage}`)];
    });
    return Object.fromEntries(found);
  } finally {
    await suite.kill();
    rmSync(folder, { recursive: true, force: true });
  }
}
