import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rawHttp } from '@carillon/testing';
import { afterAll, describe, expect, it } from 'vitest';
import { ListenError, UwsHttpAdapter, UwsServer } from '../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'carillon-unix-'));

function make(): UwsServer {
  const server = new UwsServer();
  const adapter = new UwsHttpAdapter(server, { trustHops: 1 });
  adapter.fastRoute('GET', '/ip', (request, response) => response.send({ ip: request.ip }));
  return server;
}

describe('Unix socket', () => {
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('listens in a folder it makes, with the mode it is given, and cleans up', async () => {
    const path = join(folder, 'deep/er/service.sock');
    const server = make();
    expect(await server.listen({ path, mode: 0o660 })).toEqual({ kind: 'unix', path });
    expect(statSync(path).mode & 0o777).toBe(0o660);
    expect(statSync(join(folder, 'deep')).mode & 0o777).toBe(0o755);
    expect((await rawHttp({ path }, { path: '/ip' })).body).toBe('{"ip":null}');
    const forwarded = { path: '/ip', headers: { 'X-Forwarded-For': '203.0.113.5' } };
    expect((await rawHttp({ path }, forwarded)).body).toBe('{"ip":"203.0.113.5"}');
    server.close();
    expect(existsSync(path)).toBe(false);
  });

  it('takes the place of a dead process, not of a living one', async () => {
    const path = join(folder, 'stale.sock');
    const die = `require('net').createServer().listen(${JSON.stringify(path)}, () => process.kill(process.pid, 9))`;
    spawnSync(process.execPath, ['-e', die]);
    expect(existsSync(path)).toBe(true);
    const first = make();
    await first.listen({ path, mode: 0o600 });
    const second = make();
    await expect(second.listen({ path, mode: 0o600 })).rejects.toThrow(ListenError);
    expect((await rawHttp({ path }, { path: '/ip' })).status).toBe(200);
    second.close();
    expect(existsSync(path)).toBe(true);
    first.close();
  });

  it('leaves files alone that are not sockets', async () => {
    const path = join(folder, 'precious.txt');
    writeFileSync(path, 'precious');
    await expect(make().listen({ path, mode: 0o660 })).rejects.toThrow('not a socket');
    expect(existsSync(path)).toBe(true);
  });

  it('wants an absolute path', async () => {
    await expect(make().listen({ path: 'relative.sock', mode: 0o660 })).rejects.toThrow('absolute');
  });
});
