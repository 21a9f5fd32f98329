import { describe, expect, it } from 'vitest';
import { app, problems, runs } from './harness.js';

const credentials = {
  SERVICE_DEFAULT_APP_ID: 'env',
  SERVICE_DEFAULT_APP_KEY: 'env-key',
  SERVICE_DEFAULT_APP_SECRET: 'env-secret',
};
const json = { app_manager: { array: { apps: [app('one'), app('two')] } } };
const apps = (env: Record<string, string>) => runs({ json, env }).config.app_manager.array.apps;

describe('the app of the environment', () => {
  it('is absent without variables', () => {
    expect(apps({}).map(({ id }) => id)).toEqual(['one', 'two']);
    expect(apps({ SERVICE_DEFAULT_APP_ENABLED: 'true' })).toHaveLength(2);
  });

  it('replaces the apps of the file', () => {
    const found = apps({ ...credentials, SERVICE_DEFAULT_APP_ALLOWED_ORIGINS: 'a.example, b.example' });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatchObject({
      id: 'env',
      key: 'env-key',
      enabled: true,
      policy: {
        limits: { max_connections: 0, max_event_batch_size: null, max_channel_name_length: null },
        features: { enable_client_messages: false, enable_user_authentication: null },
        channels: { allowed_origins: ['a.example', 'b.example'] },
      },
    });
  });

  it('takes its own limits and the legacy name', () => {
    const env = {
      ...credentials,
      SERVICE_DEFAULT_APP_MAX_CONNECTIONS: '7',
      SERVICE_ENABLE_CLIENT_MESSAGES: 'yes',
    };
    expect(apps(env)[0]?.policy.limits.max_connections).toBe(7);
    expect(apps(env)[0]?.policy.features.enable_client_messages).toBe(true);
    const own = apps({ ...env, SERVICE_DEFAULT_APP_ENABLE_CLIENT_MESSAGES: 'no' })[0];
    expect(own?.policy.features.enable_client_messages).toBe(false);
  });

  it('clears the apps when it is disabled', () => {
    expect(apps({ SERVICE_DEFAULT_APP_ENABLED: 'false' })).toEqual([]);
    expect(apps({ ...credentials, SERVICE_DEFAULT_APP_ENABLED: '0' })).toEqual([]);
  });

  it('needs all three credentials', () => {
    const line = 'SERVICE_DEFAULT_APP_*: ID, KEY and SECRET must be set together';
    expect(problems({ env: { SERVICE_DEFAULT_APP_ID: 'x' } })).toEqual([line]);
    expect(problems({ env: { ...credentials, SERVICE_DEFAULT_APP_KEY: '' } })).toEqual([line]);
  });

  it('names the variable that is wrong', () => {
    const env = {
      ...credentials,
      SERVICE_DEFAULT_APP_ID: 'not an id',
      SERVICE_DEFAULT_APP_MAX_CONNECTIONS: 'many',
    };
    const lines = problems({ env });
    expect(lines).toContain('SERVICE_DEFAULT_APP_MAX_CONNECTIONS: not an integer in range');
    expect(lines.some((line) => line.startsWith('SERVICE_DEFAULT_APP_ID: '))).toBe(true);
  });
});

describe('apps of the file', () => {
  it('have unique ids and keys', () => {
    const same = { app_manager: { array: { apps: [app('a', 'k'), app('b', 'k'), app('a', 'm')] } } };
    expect(problems({ json: same })).toEqual([
      'app_manager.array.apps[1].key: duplicate app key',
      'app_manager.array.apps[2].id: duplicate app id "a"',
    ]);
  });

  it('are reported with their place, broken ones and unknown members alike', () => {
    const broken = {
      app_manager: {
        array: {
          apps: [
            { ...app('a'), secret: 1 },
            { ...app('b'), enabld: true },
          ],
        },
      },
    };
    const [line, ...rest] = problems({ json: broken, env: { SERVICE_CONFIG_STRICT: '1' } });
    expect(line).toMatch(/^app_manager\.array\.apps\[0\]\.secret: expected string, got integer/);
    expect(rest).toEqual(['app_manager.array.apps[1].enabld: unknown key (did you mean "enabled"?)']);
  });
});
