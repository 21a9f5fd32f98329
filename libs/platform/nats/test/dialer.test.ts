import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { serverOptions } from '../src/connection-options.js';
import type { Connection } from '../src/connection.js';
import { natsServer } from './server.js';
import { configured, dialerOf } from './settings.js';

const TLS = 'tls { cert_file: "$folder/cert.pem", key_file: "$folder/key.pem" }';

const answers = (connection: Connection): Promise<boolean> =>
  new Promise((resolve) => connection.ping(resolve));

/** Dials in a process that trusts this certificate; Node reads its authorities at its start. */
async function dialled(servers: string, certificateFile: string): Promise<string> {
  const child = fileURLToPath(new URL('dial-child.js', import.meta.url));
  const env = { ...process.env, NODE_EXTRA_CA_CERTS: certificateFile };
  return (await promisify(execFile)(process.execPath, [child, servers], { env })).stdout;
}

const of = (env: Record<string, string>) => serverOptions(configured(env).adapter.nats, 'adapter.nats');

const cluster = (routes: string): string =>
  `server_name: "${routes === '' ? 'one' : 'two'}"
 cluster { name: c, host: "127.0.0.1", port: -1, routes: [${routes}] }`;

describe('NatsDialer', () => {
  it('connects by TLS when the certificate is trusted, and not otherwise', async () => {
    const { nats, certificateFile } = await natsServer(TLS);
    const address = nats.replace('nats://', 'tls://').replace('127.0.0.1', 'localhost');
    expect(await dialled(address, certificateFile)).toBe('answered');
    expect(await dialled(address.replace('tls:', 'nats:'), certificateFile)).toBe('answered');
    await expect(dialerOf({ NATS_SERVERS: address }).open()).rejects.toThrow('self-signed certificate');
  });

  it('rejects a trusted certificate of another name when the address is an IP', async () => {
    const { nats, certificateFile } = await natsServer(`${TLS}\nhost: "127.0.0.2"`);
    expect(nats).toContain('127.0.0.2');
    expect(await dialled(nats, certificateFile)).toContain("IP: 127.0.0.2 is not in the cert's list");
  });

  it('rejects and leaves no socket open when the server accepts and stays silent', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      socket
        .on('error', () => {})
        .on('close', () => sockets.delete(socket))
        .resume();
    });
    onTestFinished(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const dialer = dialerOf({ NATS_SERVERS: `127.0.0.1:${port}`, NATS_CONNECTION_TIMEOUT_MS: '100' });
    await expect(dialer.open()).rejects.toThrow(`127.0.0.1:${port} sent no greeting within 100 ms`);
    await vi.waitFor(() => expect(sockets.size).toBe(0));
  });

  it('refuses a server without TLS when the address asks for TLS', async () => {
    const { nats } = await natsServer('');
    const dialer = dialerOf({ NATS_SERVERS: nats.replace('nats://', 'tls://') });
    await expect(dialer.open()).rejects.toThrow('tls');
  });

  it('connects when the address is a WebSocket URL', async () => {
    const { websocket } = await natsServer('websocket { host: "127.0.0.1", port: -1, no_tls: true }');
    expect(websocket).toMatch(/^ws:/);
    const connection = await dialerOf({ NATS_SERVERS: websocket }).open();
    const heard: string[] = [];
    const peer = await dialerOf({ NATS_SERVERS: websocket }).open();
    peer.hear({
      subject: 'a',
      take: ({ data }) => void heard.push(Buffer.from(data).toString()),
      refused: () => {},
    });
    expect(await answers(peer)).toBe(true);
    connection.publish('a', Buffer.from('by WebSocket'));
    expect(await answers(connection)).toBe(true);
    expect(await answers(peer)).toBe(true);
    expect(heard).toEqual(['by WebSocket']);
    await connection.close();
    await peer.close();
  });

  it('opens TCP and WebSocket connections concurrently in one process', async () => {
    const { nats, websocket } = await natsServer('websocket { host: "127.0.0.1", port: -1, no_tls: true }');
    const dialers = [nats, websocket].map((servers) => dialerOf({ NATS_SERVERS: servers }));
    const opening = Array.from({ length: 6 }, () => dialers.map((dialer) => dialer.open())).flat();
    const connections = await Promise.all(opening);
    expect(await Promise.all(connections.map(answers))).toEqual(connections.map(() => true));
    await Promise.all(connections.map((connection) => connection.close()));
  });

  it('connects by WebSocket when a server reached by TCP before is gone', async () => {
    const [one, other] = await Promise.all([
      natsServer(''),
      natsServer('websocket { host: "127.0.0.1", port: -1, no_tls: true }'),
    ]);
    await one.stop();
    const failing = dialerOf({ NATS_SERVERS: one.nats }).open();
    const opening = dialerOf({ NATS_SERVERS: other.websocket }).open();
    await expect(failing).rejects.toThrow('ECONNREFUSED');
    const connection = await opening;
    expect(await answers(connection)).toBe(true);
    await connection.close();
  });

  it('connects to the next server when one is gone', async () => {
    const [one, other] = await Promise.all([natsServer(''), natsServer('')]);
    const events: string[] = [];
    const dialer = dialerOf({ NATS_SERVERS: `${one.nats},${other.nats}` }, events);
    const first = await dialer.open();
    await one.stop();
    const second = await dialer.open();
    expect(await answers(second)).toBe(true);
    expect(events).toEqual(['connected', 'connected']);
    await second.close();
    await first.close();
    await other.stop();
    await expect(dialer.open()).rejects.toThrow('ECONNREFUSED');
    expect(events.at(-1)).toBe('client_error');
  });

  it('connects to another server of the cluster when the configured one is gone', async () => {
    const one = await natsServer(cluster(''));
    const two = await natsServer(cluster(`"${one.cluster.replace('nats:', 'nats-route:')}"`));
    const dialer = dialerOf({ NATS_SERVERS: one.nats });
    let connection = await dialer.open();
    while (!connection.others.some((host) => two.nats.endsWith(host))) {
      expect(await answers(connection)).toBe(true);
      await connection.close();
      connection = await dialer.open();
    }
    await one.stop();
    await connection.closed;
    const next = await dialer.open();
    expect(await answers(next)).toBe(true);
    await next.close();
  });

  it.each([
    ['speaks another protocol', 'SSH-2.0\r\n', 'unexpected response'],
    ['turns every client away', "-ERR 'maximum connections exceeded'\r\n", 'unexpected response'],
  ])('rejects when the server %s', async (_, greeting, message) => {
    const server = createServer((socket) => socket.on('error', () => {}).end(greeting));
    onTestFinished(() => void server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    await expect(dialerOf({ NATS_SERVERS: `127.0.0.1:${port}` }).open()).rejects.toThrow(message);
  });
});

describe('serverOptions', () => {
  it('reads scheme, name and password when an address holds them', () => {
    expect(of({ NATS_SERVERS: 'nats://one:4222,two,tls://three:1' })).toEqual({
      servers: ['one:4222', 'two', 'three:1'],
      isWebSocket: false,
      isTls: true,
      login: {},
    });
    expect(of({ NATS_SERVERS: 'nats://us%40er:p%3Aw@one:4222' }).login).toEqual({
      user: 'us@er',
      pass: 'p:w',
    });
    expect(of({ NATS_SERVERS: 'nats://t0ken@one:4222' }).login).toEqual({ token: 't0ken' });
    expect(of({ NATS_SERVERS: 'wss://user:word@one:8443/nats' })).toMatchObject({
      servers: ['wss://one:8443/nats'],
      isWebSocket: true,
      login: { user: 'user', pass: 'word' },
    });
  });

  it('prefers the login of the settings when an address holds one too', () => {
    const servers = 'nats://user:word@one:4222';
    expect(of({ NATS_SERVERS: servers, NATS_TOKEN: 't' }).login).toEqual({ token: 't' });
    const { login } = of({ NATS_SERVERS: servers, NATS_USERNAME: 'u', NATS_PASSWORD: 'p' });
    expect(login).toEqual({ user: 'u', pass: 'p' });
  });

  it('quotes nothing when an address cannot be used', () => {
    for (const wrong of ['http://user:word@one', 'nats://user:word@', 'nats://user:word@:x']) {
      expect(() => of({ NATS_SERVERS: wrong })).toThrow(
        /^adapter\.nats\.servers: not an address of a NATS server$/,
      );
    }
    expect(() => of({ NATS_SERVERS: 'ws://user:word@one,nats://two' })).toThrow(
      /^adapter\.nats\.servers: WebSocket URLs and other addresses cannot be mixed$/,
    );
  });
});
