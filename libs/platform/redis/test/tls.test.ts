import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engine } from '@carillon/test-backends';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { redisTarget } from '../src/index.js';
import { type Forwarder, forwardTo } from './forwarder.js';
import { openLink, REDIS, redisSettings } from './settings.js';
import { CERTIFICATE } from './tls-fixture.js';

describe('an encrypted link', () => {
  let door: Forwarder;
  let folder: string;
  beforeAll(async () => {
    const { host, port } = await engine('redis');
    door = await forwardTo({ host, port }, { tls: true });
    folder = await mkdtemp(join(tmpdir(), 'carillon-redis-'));
    await writeFile(join(folder, 'ca.pem'), CERTIFICATE);
  });
  afterAll(async () => {
    await door.close();
    await rm(folder, { recursive: true });
  });

  const health = async (host: string, env: Record<string, string>) => {
    const settings = redisSettings({
      DATABASE_REDIS_HOST: host,
      DATABASE_REDIS_PORT: String(door.port),
      ...env,
    });
    const { link } = await openLink({ target: redisTarget(settings, REDIS) });
    const wrong = await link.health();
    link.close();
    return wrong;
  };
  const ca = () => ({ DATABASE_REDIS_MASTER_TLS_CA_PATH: join(folder, 'ca.pem') });

  it('trusts the authority it is told, by either way of asking for encryption', async () => {
    expect(await health('rediss://127.0.0.1', ca())).toBeNull();
    expect(await health('127.0.0.1', { ...ca(), DATABASE_REDIS_MASTER_TLS_ENABLED: 'true' })).toBeNull();
  });

  it('refuses an authority it was not told', async () => {
    expect(await health('rediss://127.0.0.1', {})).toMatch(/self-signed certificate/);
  });

  it('refuses a certificate of another name', async () => {
    expect(await health('rediss://localhost', ca())).toMatch(/localhost/);
  });

  it('checks nothing when told so', async () => {
    const lenient = { DATABASE_REDIS_MASTER_TLS_ACCEPT_INVALID_CERTS: 'true' };
    expect(await health('rediss://localhost', lenient)).toBeNull();
  });

  it('is not opened without its files', async () => {
    const settings = redisSettings({ ...ca(), DATABASE_REDIS_MASTER_TLS_ENABLED: 'true' });
    const gone = { ...settings, master_tls: { ...settings.master_tls, ca_path: join(folder, 'gone.pem') } };
    await expect(openLink({ target: redisTarget(gone, REDIS) })).rejects.toThrow('ENOENT');
  });
});
