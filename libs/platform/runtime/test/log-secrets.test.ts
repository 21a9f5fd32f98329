import { Secret } from '@carillon/config';
import { ServiceError } from '@carillon/errors';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { errorText, scrub } from '../src/index.js';
import { isSecretName } from '../src/logging/redaction.js';
import { capturedLog } from './fixtures.js';

const word = fc.string({ unit: fc.constantFrom('a', 'q', 'X', '7', '0'), minLength: 8, maxLength: 24 });
const secretName = fc.constantFrom(
  'key',
  'app_key',
  'appSecret',
  'secret',
  'password',
  'auth_signature',
  'authorization',
  'token',
  'access_token',
  'privateKey',
  'headers',
  'body',
  'payload',
  'data',
  'recipient',
  'webhook_url',
  'x-service-device-identity-token',
);

describe('secrets in logs', () => {
  it('never prints the value of a secret field, at any depth, level or format', () => {
    fc.assert(
      fc.property(word, secretName, fc.constantFrom('json', 'text'), (value, name, format) => {
        const { logging, lines } = capturedLog({ format, filter: 'trace' });
        const log = logging.for('service::api');
        const hidden = `~${value}~`;
        for (const level of ['trace', 'debug', 'info', 'warn', 'error'] as const) {
          log[level](`request ${level}`, {
            [name]: hidden,
            nested: { list: [{ [name]: { deep: hidden } }] },
          });
        }
        expect(lines).toHaveLength(5);
        expect(lines.join('')).not.toContain(hidden);
      }),
    );
  });

  it('never prints a wrapped secret, wherever it is', () => {
    const { logging, lines } = capturedLog();
    const secret = new Secret('s3cr3t-value');
    logging
      .for('service::config')
      .info(`loaded ${secret.toString()}`, { plain: secret, list: [secret], deep: { secret } });
    expect(lines.join('')).not.toContain('s3cr3t-value');
    expect(lines[0]).toContain('"plain":"<redacted>"');
  });

  it('strips the user part of URLs and what looks like a credential', () => {
    expect(scrub('connect nats://user:pa55@host:4222 failed')).toBe(
      'connect nats://<redacted>@host:4222 failed',
    );
    expect(scrub('GET /apps/1/events?auth_key=k1&auth_signature=abc&x=1')).toBe(
      'GET /apps/1/events?auth_key=<redacted>&auth_signature=<redacted>&x=1',
    );
    expect(scrub('Bearer abcdefgh12345')).toBe('Bearer <redacted>');
    expect(scrub('token eyJhbGciOi.eyJzdWIiOi.sig refused')).toBe('token <redacted> refused');
    expect(scrub('{"password":"pa55","port":1}')).toBe('{"password":"<redacted>","port":1}');
    expect(scrub('redis://cache:6379 is down, retries=5')).toBe('redis://cache:6379 is down, retries=5');
  });

  it('logs an error as the text of itself and its causes, scrubbed', () => {
    const error = new ServiceError('internal_error', { cause: new Error('postgres://u:pw@db refused') });
    const { logging, records } = capturedLog();
    logging.for('service::api').error('request failed', { error });
    expect(records()[0]?.fields).toEqual({
      message: 'request failed',
      error: 'Internal server error: postgres://<redacted>@db refused',
    });
    expect(errorText(new AggregateError([new Error('a'), new Error('b')], ''))).toBe('a; b');
    expect(errorText(undefined)).toBe('unknown error');
  });

  it('takes little time for text made to be slow to scan', () => {
    for (const piece of ['a-', 'a.', 'eyJ-', 'key', 'a://', 'bearer ', 'token="', '@']) {
      expect(scrub(piece.repeat(4096)).length).toBeLessThan(200_000);
    }
  });

  it('does not hide ordinary fields', () => {
    const names = [
      'node_id',
      'app_id',
      'socket_id',
      'user_id',
      'channel',
      'request_id',
      'error',
      'cause',
      'port',
    ];
    expect(names.filter(isSecretName)).toEqual([]);
  });

  it('bounds what a line can hold', () => {
    const { logging, lines } = capturedLog();
    const huge = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`n${i}`, 'x'.repeat(50_000)]));
    logging.for('service::api').info('x'.repeat(50_000), { huge, buffer: Buffer.alloc(100_000) });
    expect(lines[0]?.length).toBeLessThan(300_000);
    expect(lines[0]).toContain('<100000 bytes>');
  });
});
