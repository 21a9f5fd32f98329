import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  credentialOf,
  generateVapidKeys,
  InvalidCredential,
  readCredentialFields,
  serviceAccount,
} from '../src/index.js';

const pem = (type: 'rsa' | 'ec'): string =>
  (type === 'rsa'
    ? generateKeyPairSync('rsa', { modulusLength: 2048 })
    : generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  ).privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;

const RSA = pem('rsa');
const EC = pem('ec');
const { publicKey: PUBLIC, privateKey: PRIVATE } = await generateVapidKeys();
const OTHER = await generateVapidKeys();
const ACCOUNT = { client_email: 'a@b.example', private_key: RSA.replaceAll('\n', '\\n'), project_id: 'p' };

const kind = (body: object) => {
  const credential = credentialOf('apns', readCredentialFields('apns', { ...body }));
  return credential.provider === 'apns' && credential.access.kind;
};

/** Reads the token service of an account that an operator configured. */
const tokenUriAt = (token_uri: string, production: boolean) => () =>
  serviceAccount(JSON.stringify({ ...ACCOUNT, token_uri }), { kind: 'operator', production }).tokenUri;

describe('the fields of a credential', () => {
  it('are those of a service account, its key sealed whole', () => {
    const fields = readCredentialFields('fcm', { serviceAccountJson: ACCOUNT });
    expect(fields.open).toEqual({ clientEmail: 'a@b.example', projectId: 'p' });
    expect(Object.keys(fields.secret)).toEqual(['serviceAccountJson']);
    expect(credentialOf('fcm', fields)).toMatchObject({
      projectId: 'p',
      access: { privateKey: RSA, tokenUri: 'https://oauth2.googleapis.com/token' },
    });
  });

  it('accept a token service on loopback when an operator configured it outside production', () => {
    for (const uri of ['http://127.0.0.1:9099/token', 'http://[::1]:9099/t', 'http://localhost/t']) {
      expect(tokenUriAt(uri, false)()).toBe(uri);
      expect(tokenUriAt(uri, true)).toThrow(InvalidCredential);
    }
    expect(tokenUriAt('https://tokens.example:8443/t', true)()).toBe('https://tokens.example:8443/t');
    for (const uri of ['http://tokens.example/t', 'https://a:b@tokens.example/t', 'ftp://127.0.0.1/t', 'x'])
      expect(tokenUriAt(uri, false)).toThrow(InvalidCredential);
  });

  it('prefer the key to the certificate and that to the container', () => {
    const certificate = '-----BEGIN CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n';
    const all = { teamId: 't', keyId: 'k', privateKey: EC, pem: certificate, p12: 'AAAA', p12Password: '' };
    expect(kind(all)).toBe('key');
    expect(kind({ pem: all.pem, p12: all.p12, p12Password: '' })).toBe('pem');
    expect(kind({ p12: all.p12, p12Password: '' })).toBe('p12');
  });

  it('take a pair of keys that belong together', () => {
    const fields = readCredentialFields('webpush', { publicKey: PUBLIC, privateKey: PRIVATE });
    expect(credentialOf('webpush', fields)).toMatchObject({ publicKey: PUBLIC, subject: null });
  });

  it.each([
    ['fcm', {}],
    ['fcm', { serviceAccountJson: '{' }],
    ['fcm', { serviceAccountJson: { ...ACCOUNT, private_key: EC } }],
    ['fcm', { serviceAccountJson: { ...ACCOUNT, client_email: ' ' } }],
    ['fcm', { serviceAccountJson: { ...ACCOUNT, token_uri: 'https://evilgoogleapis.com/token' } }],
    ['fcm', { serviceAccountJson: { ...ACCOUNT, token_uri: 'http://oauth2.googleapis.com/token' } }],
    ['fcm', { serviceAccountJson: { ...ACCOUNT, token_uri: 'https://a@oauth2.googleapis.com/token' } }],
    ['fcm', { serviceAccountJson: { ...ACCOUNT, token_uri: 'https://a:b@oauth2.googleapis.com/token' } }],
    ['fcm', { serviceAccountJson: { ...ACCOUNT, token_uri: 'https://oauth2.googleapis.com:8443/token' } }],
    ['fcm', { serviceAccountJson: { ...ACCOUNT, token_uri: 'http://127.0.0.1:9099/token' } }],
    ['apns', { teamId: 't' }],
    ['apns', { teamId: 't', keyId: 'k', privateKey: RSA }],
    ['apns', { pem: 'no certificate' }],
    ['apns', { p12: 'AAAA' }],
    ['apns', { p12: 'AAAA', p12Password: '', environment: 'moon' }],
    ['webpush', { publicKey: PUBLIC, privateKey: OTHER.privateKey }],
    ['webpush', { publicKey: PUBLIC.slice(4), privateKey: PRIVATE }],
    ['webpush', { publicKey: PUBLIC, privateKey: PRIVATE, subject: 'me' }],
    ['hms', { hmsAppId: 'a', clientSecret: '  ' }],
    ['wns', { packageSid: 's' }],
  ] as const)(
    'of %s are refused when they are incomplete or contradict each other (%#)',
    (provider, body) => {
      expect(() => readCredentialFields(provider, body)).toThrow(InvalidCredential);
    },
  );
});
