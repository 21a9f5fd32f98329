import { describe, expect, it } from 'vitest';
import { parseRedisAddress, type RedisAddress } from '../src/index.js';

const NOTHING = { port: null, db: null, tls: false, username: null, password: null };

const shown = ({ password, ...rest }: RedisAddress) => ({ ...rest, password: password?.reveal() ?? null });

describe('an address of a server', () => {
  it.each([
    ['redis.internal', { host: 'redis.internal' }],
    ['redis_1', { host: 'redis_1' }],
    ['10.0.0.7:7000', { host: '10.0.0.7', port: 7000 }],
    ['::1', { host: '::1' }],
    ['[::1]', { host: '::1' }],
    ['[fe80::7]:7000', { host: 'fe80::7', port: 7000 }],
    ['redis://h', { host: 'h' }],
    ['REDIS://h:1/', { host: 'h', port: 1 }],
    ['rediss://h', { host: 'h', tls: true }],
    ['redis://[::1]:6380/3', { host: '::1', port: 6380, db: 3 }],
    ['redis://:p@h', { host: 'h', password: 'p' }],
    [
      'redis://u%40x:p%2F%3A%25@h:6379/0',
      { host: 'h', port: 6379, db: 0, username: 'u@x', password: 'p/:%' },
    ],
  ])('is read from %s', (text, expected) => {
    expect(shown(parseRedisAddress(text, 'x'))).toEqual({ ...NOTHING, ...expected });
  });

  it.each([
    '',
    'redis://',
    'redis://:hunter2@',
    'http://u:hunter2@h',
    'redis://u:hunter2@h:99999',
    'redis://u:hunter2@h/x',
    'redis://u:hunter2%ff@h',
    'unix:///tmp/redis.sock',
    'a b',
  ])('is refused as %j, naming the setting and no secret', (text) => {
    const refusal = (): unknown => parseRedisAddress(text, 'database.redis.host');
    expect(refusal).toThrow(/^database\.redis\.host: not an address of a Redis server$/);
  });
});
