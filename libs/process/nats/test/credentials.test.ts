import { engine } from '@carillon/engines';
import { createPublicKey, verify } from 'node:crypto';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { nkeyOf } from '../src/nkey.js';
import { NatsDialer } from '../src/dialer.js';
import { natsServer } from './server.js';
import { configured } from './settings.js';

/** The key of a user whom the server of the tests knows. */
const SEED = 'SUAKNLJ7A5G5Y5CIIDP2PP6JIZMF26AM5SCK4X4S6GALVOASQ6NUBACTDE';
const PUBLIC = 'UBMVDKOC4QPZANKCIZEHTVRKLPO66I7CGSWPI5ISXYK2QXQP4AP43S5G';
const UNKNOWN_SEED = 'SUABQ3XWGLDD47AKAKLYGYTSH2VRCUKGR7N7PAOLYINHJAGKZ4PC3XEIPQ';
const ACCOUNT_SEED = 'SAAIZ4UM7X3UKALGJXSL3Z7G6FK56NG6F4YELDL5MQKQ4FVVWBGWM5LZBY';

function dialerOf(env: Record<string, string>) {
  const { nats: settings } = configured(env).adapter;
  const options = { section: 'adapter.nats', connectionName: 'keyed', inboxPrefix: 'inbox' };
  return new NatsDialer({ ...options, settings, onEvent: () => {} });
}

function credentials(text: string): string {
  const file = join(mkdtempSync(join(tmpdir(), 'nats-')), 'user.creds');
  writeFileSync(file, text);
  return file;
}
const creds = (jwt: string, seed: string): string => `-----BEGIN NATS USER JWT-----
${jwt}
------END NATS USER JWT------

-----BEGIN USER NKEY SEED-----
${seed}
------END USER NKEY SEED------
`;

/** What a client says of itself to a server that gives it something to sign. */
async function introduction(env: Record<string, string>) {
  const server = await natsServer({ info: { nonce: 'sign-this' } });
  const connection = await dialerOf({ NATS_SERVERS: server.host, ...env }).open();
  const [line = ''] = server.noted.lines;
  await connection.close();
  await vi.waitFor(() => expect(server.noted.open).toBe(0));
  await server[Symbol.asyncDispose]();
  return JSON.parse(line.replace(/^CONNECT /, '')) as Record<string, string>;
}

describe('a user of NATS who has a key', () => {
  it('is let in by a server that knows the key, with the rights of it', async () => {
    const { url } = await engine('nats');
    const connection = await dialerOf({ NATS_SERVERS: url, NATS_NKEY_SEED: SEED }).open();
    const refused: string[] = [];
    connection.refused = (subject) => void refused.push(subject);
    connection.publish('keyless.broadcast', '1', 1);
    await new Promise((resolve) => connection.ping(resolve));
    expect(refused).toEqual(['keyless.broadcast']);
    await connection.close();
    const unknown = dialerOf({ NATS_SERVERS: url, NATS_NKEY_SEED: UNKNOWN_SEED });
    await expect(unknown.open()).rejects.toThrow('Authorization Violation');
  });

  it('signs what the server gives, and the seed stays here', async () => {
    const said = await introduction({ NATS_NKEY_SEED: SEED });
    expect(said['nkey']).toBe(PUBLIC);
    expect(JSON.stringify(said)).not.toContain(SEED);
    const key = createPublicKey({
      key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), publicBytes(PUBLIC)]),
      format: 'der',
      type: 'spki',
    });
    const signature = Buffer.from(said['sig'] ?? '', 'base64url');
    expect(verify(null, Buffer.from('sign-this'), key, signature)).toBe(true);
  });

  it('shows the JWT of a credentials file, the newest at each connection', async () => {
    const file = credentials(creds('first.jwt', SEED));
    expect(await introduction({ NATS_CREDENTIALS_FILE: file })).toMatchObject({
      jwt: 'first.jwt',
      nkey: PUBLIC,
    });
    writeFileSync(file, creds('second.jwt', SEED));
    expect(await introduction({ NATS_CREDENTIALS_FILE: file })).toMatchObject({ jwt: 'second.jwt' });
    expect(await introduction({ NATS_NKEY_SEED: SEED, NATS_JWT: 'third.jwt' })).toMatchObject({
      jwt: 'third.jwt',
    });
  });

  it('is refused at the start with the name of the setting, and nothing is quoted', () => {
    const wrong = 'not an nkey seed of a user';
    for (const seed of [
      '',
      'SUXX',
      `${SEED}A`,
      SEED.toLowerCase(),
      SEED.replace('N', 'M'),
      ACCOUNT_SEED,
      PUBLIC,
    ]) {
      expect(() => nkeyOf(seed)).toThrow(new RegExp(`^${wrong}$`));
    }
    expect(() => dialerOf({ NATS_NKEY_SEED: ACCOUNT_SEED })).toThrow(`adapter.nats.nkey_seed: ${wrong}`);
    expect(() => dialerOf({ NATS_JWT: 'a.b.c' })).toThrow('adapter.nats.jwt: needs adapter.nats.nkey_seed');
    expect(() => dialerOf({ NATS_CREDENTIALS_FILE: '/nowhere' })).toThrow('/nowhere cannot be read');
    const empty = credentials('no credentials');
    expect(() => dialerOf({ NATS_CREDENTIALS_FILE: empty })).toThrow('holds no JWT and seed of a user');
    const other = credentials(creds('a.jwt', ACCOUNT_SEED));
    expect(() => dialerOf({ NATS_CREDENTIALS_FILE: other })).toThrow(`credentials_file: ${wrong}`);
  });
});

/** The bytes of a public key, between its kind and its checksum. */
function publicBytes(text: string): Buffer {
  let bits = '';
  for (const letter of text)
    bits += 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0');
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.slice(1, 33).map((byte) => Number.parseInt(byte, 2)));
}
