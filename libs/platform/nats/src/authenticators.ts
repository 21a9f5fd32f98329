import {
  type Authenticator,
  credsAuthenticator,
  jwtAuthenticator,
  nkeyAuthenticator,
  nkeys,
} from '@nats-io/transport-node';
import type { Config } from '@carillon/config';
import { readFileSync } from 'node:fs';

type Settings = Pick<Config['adapter']['nats'], 'credentials_file' | 'jwt' | 'nkey_seed'>;

/**
 * Builds the client's authenticator of the configured key; null: none is configured. A credentials file is read at each
 * call, so that new credentials count from the next connection on. Throws an error that names the setting, without its
 * value.
 */
export function keyAuthenticator(
  { credentials_file: file, nkey_seed: seed, jwt }: Settings,
  section: string,
): Authenticator | null {
  if (file !== null) return ofFile(file, `${section}.credentials_file`);
  if (seed === null) {
    if (jwt !== null) throw new Error(`${section}.jwt: needs ${section}.nkey_seed to prove it`);
    return null;
  }
  const bytes = userSeed(seed.reveal(), `${section}.nkey_seed`);
  return jwt === null ? nkeyAuthenticator(bytes) : jwtAuthenticator(jwt.reveal(), bytes);
}

function ofFile(path: string, setting: string): Authenticator {
  let text: Buffer;
  try {
    text = readFileSync(path);
  } catch {
    throw new Error(`${setting}: ${path} cannot be read`);
  }
  const seed = /-+BEGIN USER NKEY SEED-+\s+(\S+)/.exec(text.toString())?.[1];
  const authenticator = credsAuthenticator(text);
  try {
    authenticator('');
  } catch {
    if (seed !== undefined) userSeed(seed, setting);
    throw new Error(`${setting}: ${path} holds no JWT and seed of a user`);
  }
  userSeed(seed ?? '', setting);
  return authenticator;
}

/** Checks that the seed is one of a user; the client would take that of an account too. */
function userSeed(seed: string, setting: string): Uint8Array {
  const bytes = new TextEncoder().encode(seed);
  try {
    if (nkeys.fromSeed(bytes).getPublicKey().startsWith('U')) return bytes;
  } catch {
    // Answered below, without the seed.
  }
  throw new Error(`${setting}: not an nkey seed of a user`);
}
