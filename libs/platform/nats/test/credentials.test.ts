import { engine } from '@carillon/test-backends';
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Connection } from '../src/connection.js';
import { operated } from './jwt.js';
import { natsServer } from './server.js';
import { dialerOf } from './settings.js';

/** Seed of the user known to the engine's server. */
const SEED = 'SUAKNLJ7A5G5Y5CIIDP2PP6JIZMF26AM5SCK4X4S6GALVOASQ6NUBACTDE';
const PUBLIC = 'UBMVDKOC4QPZANKCIZEHTVRKLPO66I7CGSWPI5ISXYK2QXQP4AP43S5G';
const UNKNOWN_SEED = 'SUABQ3XWGLDD47AKAKLYGYTSH2VRCUKGR7N7PAOLYINHJAGKZ4PC3XEIPQ';
const ACCOUNT_SEED = 'SAAIZ4UM7X3UKALGJXSL3Z7G6FK56NG6F4YELDL5MQKQ4FVVWBGWM5LZBY';

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

const answers = (connection: Connection): Promise<boolean> =>
  new Promise((resolve) => connection.ping(resolve));

describe('NatsDialer with a key', () => {
  it('logs in with the rights of the key when the settings hold an nkey seed', async () => {
    const { url } = await engine('nats');
    const connection = await dialerOf({ NATS_SERVERS: url, NATS_NKEY_SEED: SEED }).open();
    const refused: string[] = [];
    connection.refused = (subject) => void refused.push(subject);
    connection.publish('keyless.broadcast', Buffer.from('1'));
    expect(await answers(connection)).toBe(true);
    expect(refused).toEqual(['keyless.broadcast']);
    await connection.close();
    const unknown = dialerOf({ NATS_SERVERS: url, NATS_NKEY_SEED: UNKNOWN_SEED });
    await expect(unknown.open()).rejects.toThrow('Authorization Violation');
  });

  it('reads the newest credentials when a connection opens', async () => {
    const { configuration, user } = operated();
    const { nats } = await natsServer(configuration);
    const [known, stranger] = [user(), operated().user()];
    const file = credentials(creds(known.jwt, known.seed));
    const dialer = dialerOf({ NATS_SERVERS: nats, NATS_CREDENTIALS_FILE: file });
    const first = await dialer.open();
    expect(await answers(first)).toBe(true);
    await first.close();
    writeFileSync(file, creds(stranger.jwt, stranger.seed));
    await expect(dialer.open()).rejects.toThrow('Authorization Violation');
    const next = user();
    writeFileSync(file, creds(next.jwt, next.seed));
    await (await dialer.open()).close();
  });

  it('logs in when the settings hold a JWT and its seed', async () => {
    const { configuration, user } = operated();
    const { nats } = await natsServer(configuration);
    const { jwt, seed } = user();
    const connection = await dialerOf({ NATS_SERVERS: nats, NATS_JWT: jwt, NATS_NKEY_SEED: seed }).open();
    expect(await answers(connection)).toBe(true);
    await connection.close();
    await expect(dialerOf({ NATS_SERVERS: nats }).open()).rejects.toThrow('Authorization Violation');
  });

  it('names the setting and quotes nothing when a key cannot be used', () => {
    const wrong = 'not an nkey seed of a user';
    for (const seed of ['SUXX', SEED.toLowerCase(), SEED.replace('N', 'M'), ACCOUNT_SEED, PUBLIC]) {
      const dial = () => dialerOf({ NATS_NKEY_SEED: seed });
      expect(dial).toThrow(new RegExp(`^adapter\\.nats\\.nkey_seed: ${wrong}$`));
    }
    expect(() => dialerOf({ NATS_JWT: 'a.b.c' })).toThrow('adapter.nats.jwt: needs adapter.nats.nkey_seed');
    expect(() => dialerOf({ NATS_CREDENTIALS_FILE: '/nowhere' })).toThrow('/nowhere cannot be read');
    const empty = credentials('no credentials');
    expect(() => dialerOf({ NATS_CREDENTIALS_FILE: empty })).toThrow('holds no JWT and seed of a user');
    const other = credentials(creds('a.jwt', ACCOUNT_SEED));
    expect(() => dialerOf({ NATS_CREDENTIALS_FILE: other })).toThrow(`credentials_file: ${wrong}`);
  });
});
