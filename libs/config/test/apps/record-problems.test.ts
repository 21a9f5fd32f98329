import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAppRecord } from '../../src/index.js';

const PATH = 'app_manager.array.apps[2]';

/** Problems as they are printed, after the path of the record. */
function problems(raw: unknown): string[] {
  const parsed = parseAppRecord(raw, PATH);
  expect(parsed.record === null).toBe(parsed.problems.length > 0);
  return parsed.problems.map(({ path, message }) => `${path}: ${message}`.replace(`${PATH}.`, ''));
}

const inPolicy = (policy: unknown): string[] =>
  problems({ id: 'a', key: 'k', secret: 's', policy }).map((line) => line.replace(/^policy\./, ''));

describe('problems of an app record', () => {
  it('reports every one of them at once, with the full path', () => {
    const { problems } = parseAppRecord({ id: 'a b', key: '', policy: { limits: 3, webhooks: [{}] } }, PATH);
    expect(problems).toEqual([
      { path: `${PATH}.id`, message: 'must be 1 to 64 characters [A-Za-z0-9_-]' },
      { path: `${PATH}.key`, message: 'must not be empty' },
      { path: `${PATH}.secret`, message: 'expected string, got nothing' },
      { path: `${PATH}.policy.limits`, message: 'expected table, got integer' },
      { path: `${PATH}.policy.webhooks[0].event_types`, message: 'expected list, got nothing' },
    ]);
  });

  it('refuses what is not a table', () => {
    expect(problems([])).toEqual([`${PATH}: expected table, got list`]);
    expect(problems(null)).toEqual([`${PATH}: expected table, got null`]);
  });

  it('bounds the credentials without printing them', () => {
    const long = 'Q'.repeat(256);
    const lines = problems({ id: 'i'.repeat(65), key: long, secret: long });
    expect(lines).toEqual([
      'id: must be 1 to 64 characters [A-Za-z0-9_-]',
      'key: must be at most 255 characters',
      'secret: must be at most 255 characters',
    ]);
  });

  it.each([
    [{ max_connections: -1 }, 'max_connections: must be at least 0'],
    [{ max_connections: 4_294_967_296 }, 'max_connections: must be at most 4294967295'],
    [{ max_connections: 1.5 }, 'max_connections: expected integer, got float'],
    [{ max_connections: '1e3' }, 'max_connections: expected integer, got string'],
    [{ terminate_on_limit: 'yes' }, 'terminate_on_limit: expected boolean, got string'],
    [{ decay_seconds: '0' }, 'decay_seconds: must be greater than 0'],
    [
      { message_rate_limit: { decay_seconds: 0 } },
      'message_rate_limit.decay_seconds: must be greater than 0',
    ],
  ])('bounds limits: %j', (limits, line) => {
    expect(inPolicy({ limits })).toEqual([`limits.${line}`]);
  });

  it.each([
    ['', 'pattern must not be empty'],
    ['https://*.a.*', 'pattern may contain at most one "*"'],
    ['*.', 'wildcard domain must not be empty'],
    ['*.a..b', 'wildcard domain must not contain ".."'],
    ['://a', 'scheme and host must not be empty'],
    ['https://', 'scheme and host must not be empty'],
  ])('checks the origin pattern "%s"', (pattern, message) => {
    expect(inPolicy({ channels: { allowed_origins: ['*', 'any', 'a:1', pattern] } })).toEqual([
      `channels.allowed_origins[3]: ${message}`,
    ]);
  });

  it.each([
    [{ 'a*b*': 'inherit' }, '.a*b*: pattern may contain at most one "*"'],
    [{ '': 'inherit' }, ': pattern must not be empty'],
    [{ a: 'zip' }, '.a: must be one of inherit, disabled, fossil, xdelta3 (got "zip")'],
    [{ a: { algorithm: 'zip' } }, '.a.algorithm: must be one of fossil, xdelta3 (got "zip")'],
    [{ a: { max_conflation_keys: 0 } }, '.a.max_conflation_keys: must be greater than 0'],
    [{ a: true }, '.a: expected table, got boolean'],
  ])('checks delta compression %j', (channel_delta_compression, line) => {
    expect(inPolicy({ channels: { channel_delta_compression } })).toEqual([
      `channels.channel_delta_compression${line}`,
    ]);
  });

  it.each([
    [{}, 'name: expected string, got nothing'],
    [{ name: '' }, 'name: must not be empty'],
    [{ name: 'a:b' }, 'name: must not contain ":"'],
    [{ name: 'a', max_channel_name_length: 0 }, 'max_channel_name_length: must be greater than 0'],
    [
      { name: 'a', channel_name_pattern: '[' },
      'channel_name_pattern: pattern does not compile: missing closing ]: `[`',
    ],
    [
      { name: 'a', history: { max_bytes_per_channel: 0 } },
      'history.max_bytes_per_channel: must be greater than 0',
    ],
  ])('checks the namespace %j', (namespace, line) => {
    expect(inPolicy({ channels: { channel_namespaces: [namespace] } })).toEqual([
      `channels.channel_namespaces[0].${line}`,
    ]);
  });

  it('refuses two namespaces of one name', () => {
    expect(inPolicy({ channels: { channel_namespaces: [{ name: 'a' }, { name: 'a' }] } })).toEqual([
      'channels.channel_namespaces[1].name: duplicate namespace name "a"',
    ]);
  });

  it.each([
    [{ idempotency: { ttl_seconds: 0 } }, 'idempotency.ttl_seconds: must be greater than 0'],
    [
      { connection_recovery: { max_buffer_size: 0 } },
      'connection_recovery.max_buffer_size: must be greater than 0',
    ],
    [{ presence_history: { enabled: 1 } }, 'presence_history.enabled: expected boolean, got integer'],
  ])('checks overrides: %j', (policy, line) => {
    expect(inPolicy(policy)).toEqual([line]);
  });

  it('never throws and never takes what it cannot use, whatever it is given', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (policy, raw) => {
        problems(raw);
        problems({ id: 'a', key: 'k', secret: 's', policy });
        problems({
          id: 'a',
          key: 'k',
          secret: 's',
          policy: { limits: policy, channels: raw, webhooks: [raw] },
        });
      }),
    );
  });
});
