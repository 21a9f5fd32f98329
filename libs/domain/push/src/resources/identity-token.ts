import { pbkdf2, randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { sha256 } from '../hash.js';

const derive = promisify(pbkdf2);

const SCHEME = 'pbkdf2-sha256';
const ITERATIONS = 120_000;
const BYTES = 32;
const KEPT_MS = 60_000;
const MOST_KEPT = 10_000;

export interface IssuedToken {
  /** Given out once, and never to be had again. */
  readonly token: string;
  readonly hash: string;
}

export async function issueToken(): Promise<IssuedToken> {
  const token = randomBytes(BYTES).toString('base64url');
  const salt = randomBytes(16);
  const key = await derive(token, salt, ITERATIONS, BYTES, 'sha256');
  const hash = [SCHEME, ITERATIONS, salt.toString('base64url'), key.toString('base64url')].join('$');
  return { token, hash };
}

/** Knows the tokens of devices by their hashes; what was right is right for a minute without being computed again. */
export class IdentityTokens {
  readonly #right = new Map<string, number>();

  constructor(private readonly now: () => number) {}

  async matches(token: string, hash: string): Promise<boolean> {
    const name = sha256(token, hash);
    if ((this.#right.get(name) ?? 0) > this.now()) return true;
    if (!(await verify(token, hash))) return false;
    if (this.#right.size >= MOST_KEPT) this.#right.clear();
    this.#right.set(name, this.now() + KEPT_MS);
    return true;
  }
}

async function verify(token: string, hash: string): Promise<boolean> {
  const [scheme, rounds, salt, key, ...more] = hash.split('$');
  const iterations = Number(rounds);
  if (scheme !== SCHEME || salt === undefined || key === undefined || more.length > 0) return false;
  if (!Number.isSafeInteger(iterations) || iterations < ITERATIONS || iterations > 10 * ITERATIONS)
    return false;
  const expected = Buffer.from(key, 'base64url');
  const derived = await derive(token, Buffer.from(salt, 'base64url'), iterations, BYTES, 'sha256');
  return expected.length === BYTES && timingSafeEqual(derived, expected);
}
