import { join } from 'node:path';
import { freePort, rawHttp, spawnNode } from '@carillon/testing';
import { describe, expect, it } from 'vitest';
import { UwsServer } from '../src/index.js';

const SCRIPT = join(import.meta.dirname, 'sharing-server.js');

describe('sharing a port', () => {
  it('lets several processes answer on one port', async () => {
    const port = await freePort();
    const first = spawnNode(SCRIPT, [String(port)]);
    await first.says(/listening/);
    const second = spawnNode(SCRIPT, [String(port)]);
    await second.says(/listening/);
    const pids = new Set<string>();
    for (let index = 0; index < 200 && pids.size < 2; index += 1)
      pids.add((await rawHttp(port, { path: '/pid' })).body);
    expect(pids.size).toBe(2);
    await Promise.all([first.kill(), second.kill()]);
  });

  it('refuses a taken port when told to have it alone, and says why', async () => {
    const place = { host: '127.0.0.1', port: 0, exclusive: true };
    const first = new UwsServer();
    const address = await first.listen(place);
    const port = address.kind === 'tcp' ? address.port : 0;
    expect(port).toBeGreaterThan(0);
    const second = new UwsServer();
    await expect(second.listen({ ...place, port })).rejects.toThrow(
      `cannot listen on 127.0.0.1:${port}: the address is in use (EADDRINUSE)`,
    );
    await expect(second.listen({ host: '192.0.2.1', port: 0 })).rejects.toThrow('EADDRNOTAVAIL');
    await expect(first.listen(place)).rejects.toThrow('before');
    first.close();
    second.close();
    first.close();
  });
});
