import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import { dial, type DialOptions } from '../src/dial.js';
import { placeOf } from '../src/places.js';
import { natsServer, type ServerSettings } from './server.js';
import { CERTIFICATE } from './tls-fixture.js';

const OPTIONS: DialOptions = {
  servers: [],
  tls: false,
  login: { user: 'name', pass: 'pass "word"' },
  name: 'this process',
  echo: false,
  inboxPrefix: 'inbox',
  timeoutMs: 2000,
  onEvent: () => {},
};

/** @returns what became of it, once the server has nobody at it any more */
async function refused(settings: ServerSettings, options: Partial<DialOptions> = {}) {
  const server = await natsServer(settings);
  const { message } = await dial({ ...OPTIONS, ...options, servers: [placeOf(server.host)] }).then(
    () => new Error('was let in'),
    (error: Error) => error,
  );
  await vi.waitFor(() => expect(server.noted.open).toBe(0));
  await server[Symbol.asyncDispose]();
  return { message, lines: server.noted.lines };
}

describe('dialling a NATS server', () => {
  it('says who comes, and is let in with the answer', async () => {
    const server = await natsServer({});
    const connection = await dial({ ...OPTIONS, servers: [placeOf(server.host)] });
    expect(connection.maxPayload).toBe(512);
    const [introduction = '', ping] = server.noted.lines;
    expect(ping).toBe('PING');
    expect(JSON.parse(introduction.replace(/^CONNECT /, ''))).toMatchObject({
      name: 'this process',
      user: 'name',
      pass: 'pass "word"',
      echo: false,
      headers: true,
      no_responders: true,
      tls_required: false,
    });
    await connection.close();
    await vi.waitFor(() => expect(server.noted.open).toBe(0));
    await server[Symbol.asyncDispose]();
  });

  it.each<[string, ServerSettings, string]>([
    ['turns it away', { answer: "-ERR 'Authorization Violation'\r\n" }, 'Authorization Violation'],
    ['has no room', { greeting: "-ERR 'maximum connections exceeded'\r\n" }, 'maximum connections exceeded'],
    ['is none', { greeting: 'SSH-2.0\r\n' }, 'the server does not speak the protocol of NATS'],
    ['greets with nonsense', { greeting: 'INFO ?\r\n' }, 'the server does not speak the protocol of NATS'],
    ['answers before it greets', { greeting: 'PONG\r\n' }, 'the server does not speak the protocol of NATS'],
  ])('says what is wrong with a server that %s, and leaves nothing open', async (_, settings, message) => {
    expect((await refused(settings)).message).toBe(message);
  });

  it.each<[string, ServerSettings]>([
    ['does not greet', { greeting: ' ' }],
    ['never answers', { answer: '+OK\r\n' }],
  ])('gives up a server that %s', async (_, settings) => {
    expect((await refused(settings, { timeoutMs: 50 })).message).toBe('no answer in 50 ms');
  });

  it.each(['127.0.0.1:1', 'localhost:1'])('says why it cannot reach %s', async (host) => {
    await expect(dial({ ...OPTIONS, servers: [placeOf(host)] })).rejects.toThrow(/ECONNREFUSED/);
  });

  it('goes on to the next server', async () => {
    const silent = await natsServer({ greeting: ' ' });
    const server = await natsServer({});
    const servers = [silent.host, '127.0.0.1:1', server.host].map(placeOf);
    for (let times = 0; times < 5; times += 1) {
      const connection = await dial({ ...OPTIONS, servers, timeoutMs: 500 });
      await connection.close();
    }
    await vi.waitFor(() => expect(silent.noted.open + server.noted.open).toBe(0));
    await silent[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  it.each<[string, ServerSettings, Partial<DialOptions>]>([
    ['is asked for', { tls: true }, { tls: true }],
    ['the server needs it', { tls: true, info: { tls_required: true } }, {}],
  ])(
    'tells nothing to a server whose certificate it cannot trust when TLS %s',
    async (_, settings, options) => {
      const { message, lines } = await refused(settings, options);
      expect(message).toMatch(/self-signed certificate/);
      expect(lines).toEqual([]);
    },
  );

  it('tells nothing to a server that has no TLS when it is asked for', async () => {
    const { message, lines } = await refused({}, { tls: true, timeoutMs: 300 });
    expect(message).not.toBe('was let in');
    expect(lines.join('')).not.toContain('CONNECT');
  });

  it.each<[string, string | null, string]>([
    ['127.0.0.1', null, 'let in, answered'],
    ['localhost', null, 'let in, answered'],
    ['127.0.0.1', 'localhost', 'let in, answered'],
    ['127.0.0.1', 'nats.example', 'not let in'],
  ])('talks through TLS with %s, who has to be %s', async (host, name, outcome) => {
    const server = await natsServer({ tls: true, info: { tls_required: true } });
    const folder = await mkdtemp(join(tmpdir(), 'carillon-nats-'));
    const file = join(folder, 'ca.pem');
    await writeFile(file, CERTIFICATE);
    // What Node trusts is settled when a process begins.
    const child = fileURLToPath(new URL('dial-child.js', import.meta.url));
    const options = JSON.stringify({
      ...OPTIONS,
      servers: [{ host: server.host.replace('127.0.0.1', host), name }],
    });
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: file };
    const { stdout } = await promisify(execFile)(process.execPath, [child, options], { env });
    expect(stdout).toBe(`${outcome}\n`);
    const [introduction = ''] = server.noted.lines;
    expect(introduction.includes('"tls_required":true')).toBe(outcome !== 'not let in');
    await server[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
  });
});
