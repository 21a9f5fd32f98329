import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { CERTIFICATE, PRIVATE_KEY } from './tls-fixture.js';
import { problems, runs } from './harness.js';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const otherKey = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const lockedKey = privateKey
  .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'right' })
  .toString();

const ssl = { enabled: true, cert_path: 'tls/cert.pem', key_path: 'tls/key.pem' };
const files = { 'tls/cert.pem': CERTIFICATE, 'tls/key.pem': PRIVATE_KEY };

const given = (passphrase: string) => ({
  json: { ssl: { ...ssl, passphrase } },
  files: { ...files, 'tls/key.pem': lockedKey },
});

describe('the files of TLS', () => {
  it('are fine when they belong together', () => {
    expect(runs({ json: { ssl }, files }).config.ssl.enabled).toBe(true);
  });

  it('are only looked at when TLS is enabled', () => {
    expect(runs({ json: { ssl: { ...ssl, enabled: false } } }).config.ssl.cert_path).toBe('tls/cert.pem');
  });

  it('have to be named, exist and parse', () => {
    expect(problems({ json: { ssl: { enabled: true } } })).toEqual([
      'ssl.cert_path: required when ssl.enabled is set',
      'ssl.key_path: required when ssl.enabled is set',
    ]);
    expect(problems({ json: { ssl } })).toEqual([
      'ssl.cert_path: file not found: tls/cert.pem',
      'ssl.key_path: file not found: tls/key.pem',
    ]);
    const broken = { 'tls/cert.pem': 'x', 'tls/key.pem': 'x', 'ca.pem': 'x' };
    expect(problems({ json: { ssl: { ...ssl, ca_path: 'ca.pem' } }, files: broken })).toEqual([
      'ssl.ca_path: not a readable PEM certificate: ca.pem',
      'ssl.cert_path: not a readable PEM certificate: tls/cert.pem',
      'ssl.key_path: not a readable PEM private key: tls/key.pem',
    ]);
  });

  it('have to belong together', () => {
    expect(problems({ json: { ssl }, files: { ...files, 'tls/key.pem': otherKey } })).toEqual([
      'ssl.key_path: is not the key of the certificate',
    ]);
  });

  it('need the right passphrase', () => {
    expect(problems(given('wrong'))).toEqual(['ssl.key_path: not a readable PEM private key: tls/key.pem']);
    expect(problems(given('right'))).toEqual(['ssl.key_path: is not the key of the certificate']);
  });
});
