import { engine } from '@carillon/test-backends';
import { describe, expect, it, onTestFinished } from 'vitest';
import { runCommand } from './run-command.js';
import { serve, SERVER } from './running-service.js';

/** An empty database for apps, as environment. */
async function appStore(): Promise<{
  readonly store: Record<string, string>;
  readonly end: () => Promise<void>;
}> {
  const { url, end } = await (await engine('postgres')).isolate();
  const { hostname, port, username, password, pathname } = new URL(url);
  const store = {
    APP_MANAGER_DRIVER: 'postgres',
    DATABASE_POSTGRES_HOST: hostname,
    DATABASE_POSTGRES_PORT: port,
    DATABASE_POSTGRES_USERNAME: username,
    DATABASE_POSTGRES_PASSWORD: password,
    DATABASE_POSTGRES_DATABASE: pathname.slice(1),
  };
  return { store, end };
}

describe('apps --direct', () => {
  it('creates, changes, disables and deletes apps that a running server serves', async () => {
    const { store, end } = await appStore();
    const { server, env } = await serve({ ...store, HISTORY_ENABLED: 'false' });
    onTestFinished(async () => {
      server.child.kill('SIGTERM');
      await server.finished;
      await end();
    });
    const apps = (...args: string[]) =>
      runCommand(['apps', ...args, '--direct', '--json'], { env: { ...SERVER, ...store } });
    const created = JSON.parse(
      (await apps('create', 'late', '--set', 'policy.limits.max_connections=5')).stdout,
    ) as { key: string; secret: string };
    expect(created).toMatchObject({ id: 'late', enabled: true, secret: expect.stringMatching(/^s_/) });
    const credentials = ['--app', 'late', '--key', created.key, '--secret', created.secret];
    expect((await runCommand(['publish', 'a', 'ev', 'x', ...credentials], { env })).code).toBe(0);
    expect((await apps('create', 'late')).stderr).toContain('"code":"conflict"');
    const listed = JSON.parse((await apps('list')).stdout) as { items: { id: string }[] };
    expect(listed.items.map(({ id }) => id)).toContain('late');
    const updated = JSON.parse(
      (await apps('update', 'late', '--set', 'policy.limits.max_connections=9')).stdout,
    ) as object;
    expect(updated).toHaveProperty('policy.limits.max_connections', 9);
    expect((await apps('update', 'late', '--set', 'nothing=1')).code).toBe(64);
    expect((await apps('delete', 'late', '--yes')).stderr).toContain('carillon apps disable late');
    expect(JSON.parse((await apps('disable', 'late', '--yes')).stdout)).toMatchObject({ enabled: false });
    expect(JSON.parse((await apps('delete', 'late', '--yes')).stdout)).toEqual({ id: 'late', deleted: true });
    expect((await apps('show', 'late')).stderr).toContain('"code":"not_found"');
  }, 120_000);

  it('refuses to write to the memory store', async () => {
    const { code, stderr } = await runCommand(['apps', 'create', 'x', '--direct', '--json'], { env: SERVER });
    expect(code).toBe(1);
    expect(stderr).toContain('"code":"read_only_store"');
  });
});

describe('apps by the management API', () => {
  it('creates, rotates with a grace period, disables and deletes an app', async () => {
    const { store, end } = await appStore();
    const minted = JSON.parse(
      (
        await runCommand([
          'token',
          'mint',
          'management',
          '--name',
          'ops',
          '--scopes',
          'read,write,admin',
          '--json',
        ])
      ).stdout,
    ) as { token: string; token_hash: string };
    const management = {
      MANAGEMENT_ENABLED: 'true',
      MANAGEMENT_TOKEN_HASH: minted.token_hash,
      MANAGEMENT_TOKEN_SCOPES: 'read,write,admin',
    };
    const { server, env } = await serve({ ...store, ...management, HISTORY_ENABLED: 'false' });
    onTestFinished(async () => {
      server.child.kill('SIGTERM');
      await server.finished;
      await end();
    });
    const run = (args: readonly string[]) =>
      runCommand([...args, '--json'], { env: { ...env, CARILLON_TOKEN: minted.token } });
    const created = JSON.parse((await run(['apps', 'create', 'late'])).stdout) as {
      key: string;
      secret: string;
    };
    const publish = (secret: string) =>
      run(['publish', 'a', 'ev', 'x', '--app', 'late', '--key', created.key, '--secret', secret]);
    const rotated = await run(['apps', 'rotate-secret', 'late', '--grace', '1h', '--yes']);
    const { secret } = JSON.parse(rotated.stdout) as { secret: string };
    expect((await publish(created.secret)).code).toBe(0);
    expect((await publish(secret)).code).toBe(0);
    const changed = await run(['apps', 'update', 'late', '--set', 'policy.limits.max_connections=7']);
    expect(JSON.parse(changed.stdout)).toHaveProperty('policy.limits.max_connections', 7);
    expect((await run(['apps', 'delete', 'late', '--yes'])).stderr).toContain('carillon apps disable late');
    expect((await run(['apps', 'disable', 'late', '--yes'])).code).toBe(0);
    expect((await publish(secret)).code).toBe(77);
    expect((await run(['apps', 'delete', 'late', '--yes'])).stdout).toBe('{"id":"late","deleted":true}\n');
    expect((await run(['apps', 'show', 'late'])).stderr).toContain('"code":"app_not_found"');
    expect((await run(['queue', 'stats'])).code).toBe(0);
    expect((await run(['apps', 'list', '--token', 'cmt_wrong'])).code).toBe(77);
  }, 120_000);
});
