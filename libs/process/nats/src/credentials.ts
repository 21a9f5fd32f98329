import type { Config } from '@carillon/config';
import { readFileSync } from 'node:fs';
import type { Login } from './lines.js';
import { nkeyOf } from './nkey.js';

type Settings = Pick<Config['adapter']['nats'], 'credentials_file' | 'jwt' | 'nkey_seed'>;

/** A part of a credentials file, between lines of dashes. */
const part = (name: string): RegExp => new RegExp(`-+BEGIN ${name}-+\\s+(\\S+)\\s+-+END ${name}-+`);
const JWT = part('NATS USER JWT');
const SEED = part('USER NKEY SEED');

/**
 * Who logs in with a key, as the settings say now: a file is read each time, so that new credentials count from the next
 * connection on. Null: they name none. Throws an error that names the setting and quotes nothing.
 */
export function keyLogin(
  { credentials_file: file, nkey_seed: seed, jwt }: Settings,
  section: string,
): Login | null {
  if (file !== null) return ofFile(file, `${section}.credentials_file`);
  if (seed === null) {
    if (jwt !== null) throw new Error(`${section}.jwt: needs ${section}.nkey_seed to prove it`);
    return null;
  }
  return {
    nkey: named(`${section}.nkey_seed`, seed.reveal()),
    ...(jwt === null ? {} : { jwt: jwt.reveal() }),
  };
}

function ofFile(path: string, setting: string): Login {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    throw new Error(`${setting}: ${path} cannot be read`);
  }
  const [, jwt] = JWT.exec(text) ?? [];
  const [, seed] = SEED.exec(text) ?? [];
  if (jwt === undefined || seed === undefined) {
    throw new Error(`${setting}: ${path} holds no JWT and seed of a user`);
  }
  return { jwt, nkey: named(setting, seed) };
}

function named(setting: string, seed: string) {
  try {
    return nkeyOf(seed);
  } catch (error) {
    throw new Error(`${setting}: ${error instanceof Error ? error.message : ''}`, { cause: error });
  }
}
