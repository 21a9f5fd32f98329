import { describe, expect, it } from 'vitest';
import { parseAppRecord } from '../../src/index.js';

const credentials = { id: 'a', key: 'k', secret: 's' };
const flat = {
  max_connections: '7',
  enable_client_messages: true,
  allowed_origins: ['*.example.com'],
  channel_namespaces: [{ name: 'chat' }],
  webhooks: [{ lambda_function: 'notify', event_types: ['channel_occupied'] }],
  idempotency: { ttl_seconds: 9 },
  history: { enabled: true },
};

describe('the legacy flat form of an app record', () => {
  it('is read when there is no policy', () => {
    const { record, unknownKeys } = parseAppRecord({ ...credentials, ...flat, policy: null }, 'app');
    expect(record?.policy).toMatchObject({
      limits: { max_connections: 7 },
      features: { enable_client_messages: true },
      channels: { allowed_origins: ['*.example.com'], channel_namespaces: [{ name: 'chat' }] },
      webhooks: [{ url: null, lambda: { function_name: 'notify', region: 'us-east-1' } }],
      idempotency: { ttl_seconds: 9 },
      history: { enabled: true },
    });
    expect(unknownKeys).toEqual([]);
  });

  it('means the same as the form with a policy', () => {
    const { max_connections, enable_client_messages, allowed_origins, channel_namespaces, ...rest } = flat;
    const policy = {
      limits: { max_connections },
      features: { enable_client_messages },
      channels: { allowed_origins, channel_namespaces },
      ...rest,
    };
    const nested = parseAppRecord({ ...credentials, policy }, 'app');
    expect(parseAppRecord({ ...credentials, ...flat }, 'app').record).toEqual(nested.record);
  });

  it('loses against a policy, and its members are reported as unknown', () => {
    const { record, unknownKeys } = parseAppRecord(
      { ...credentials, max_connections: 7, policy: { limits: { max_connections: 3 } } },
      'apps[0]',
    );
    expect(record?.policy.limits.max_connections).toBe(3);
    expect(unknownKeys).toEqual([
      {
        path: 'apps[0].max_connections',
        knownKeys: [
          'id',
          'key',
          'secret',
          'enabled',
          'previous_secret',
          'previous_secret_expires_at_ms',
          'created_at_ms',
          'updated_at_ms',
          'revision',
          'policy',
        ],
      },
    ]);
  });

  it('names problems where they were written', () => {
    const { problems } = parseAppRecord({ ...credentials, decay_seconds: 0 }, 'apps[0]');
    expect(problems).toEqual([{ path: 'apps[0].decay_seconds', message: 'must be greater than 0' }]);
  });
});
