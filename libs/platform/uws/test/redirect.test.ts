import { freePort, RawConnection, rawHttp, readAnswer } from '@carillon/testing';
import { describe, expect, it } from 'vitest';
import { listenForRedirect, type UwsServer } from '../src/index.js';
import { hostWithoutPort } from '../src/server/redirect.js';

async function start(httpsPort: number): Promise<{ server: UwsServer; port: number }> {
  const server = await listenForRedirect({
    host: '127.0.0.1',
    port: 0,
    httpsPort,
    exclusive: true,
    onWarning: (text) => {
      throw new Error(text);
    },
  });
  if (server?.address?.kind !== 'tcp') throw new Error('not listening');
  return { server, port: server.address.port };
}

describe('redirect to HTTPS', () => {
  it.each([
    [6001, 'a.example:80', '/p/q?x=1&y=%2F', 'https://a.example:6001/p/q?x=1&y=%2F'],
    [443, 'a.example', '/', 'https://a.example/'],
    [443, '[::1]:8080', '/x//y', 'https://[::1]/x//y'],
    [6001, '127.0.0.1', '/x?', 'https://127.0.0.1:6001/x'],
  ])('sends everything to port %i: %s %s', async (httpsPort, host, path, location) => {
    const { server, port } = await start(httpsPort);
    for (const method of ['GET', 'POST', 'OPTIONS']) {
      const answer = await rawHttp(port, { method, path, headers: { Host: host } });
      expect(answer).toMatchObject({ status: 308, headers: { location } });
    }
    server.close();
  });

  it.each(['a b', 'a.example:port', 'a.example:99999', '', ':80', '[::1', 'a/b', 'user@a.example', '-a-'])(
    'answers 400 when the host makes no sense: %s',
    async (host) => {
      expect(hostWithoutPort(host)).toBeNull();
      const { server, port } = await start(443);
      const connection = await RawConnection.open(port);
      connection.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nX: y\r\n\r\n`);
      expect((await readAnswer(connection)).status).toBe(400);
      connection.destroy();
      server.close();
    },
  );

  it('only warns when its port is taken', async () => {
    const port = await freePort();
    const warnings: string[] = [];
    const open = () =>
      listenForRedirect({
        host: '127.0.0.1',
        port,
        httpsPort: 443,
        exclusive: true,
        onWarning: (text) => warnings.push(text),
      });
    const first = await open();
    expect(first).not.toBeNull();
    expect(await open()).toBeNull();
    expect(warnings).toEqual([
      `HTTP is not redirected to HTTPS: cannot listen on 127.0.0.1:${port}: the address is in use (EADDRINUSE)`,
    ]);
    first?.close();
  });
});
