import { describe, expect, it } from 'vitest';
import { configuration } from '@carillon/testing';
import { clientConfig } from '../src/index.js';

const from = (env: Record<string, string> = {}) =>
  clientConfig(configuration(env).adapter.kafka, 'adapter.kafka', 'gw');

describe('clientConfig', () => {
  it('uses plaintext without SASL when no user is configured', () => {
    expect(from()).toMatchObject({
      brokers: ['localhost:9092'],
      ssl: false,
      requestTimeout: 5000,
      clientId: 'gw',
    });
    expect(from()).not.toHaveProperty('sasl');
  });

  it.each([
    [{}, false, 'plain'],
    [{ KAFKA_SECURITY_PROTOCOL: 'SASL_SSL' }, true, 'plain'],
    [{ KAFKA_SECURITY_PROTOCOL: 'sasl_ssl', KAFKA_SASL_MECHANISM: 'SCRAM-SHA-256' }, true, 'scram-sha-256'],
    [{ KAFKA_SASL_MECHANISM: 'scram-sha-512' }, false, 'scram-sha-512'],
  ])('configures SASL for a user with %j', (env, ssl, mechanism) => {
    const login = { KAFKA_SASL_USERNAME: 'shop', KAFKA_SASL_PASSWORD: 'secret' };
    expect(from({ ...env, ...login })).toMatchObject({
      ssl,
      sasl: { mechanism, username: 'shop', password: 'secret' },
    });
  });

  it('ignores the user when the protocol has no SASL', () => {
    expect(from({ KAFKA_SECURITY_PROTOCOL: 'ssl', KAFKA_SASL_USERNAME: 'shop' })).not.toHaveProperty('sasl');
  });

  it.each([
    [{ KAFKA_SECURITY_PROTOCOL: 'tls' }, /adapter\.kafka\.security_protocol: must be one of plaintext, /],
    [{ KAFKA_SECURITY_PROTOCOL: 'sasl_ssl' }, /adapter\.kafka\.sasl_username: required by security_protocol/],
    [
      { KAFKA_SASL_USERNAME: 'shop', KAFKA_SASL_MECHANISM: 'gssapi' },
      /adapter\.kafka\.sasl_mechanism: must be one of plain, .* \(got "gssapi"\)/,
    ],
  ])('rejects %j with the name of the setting', (env, message) => {
    expect(() => from(env)).toThrow(message);
  });
});
