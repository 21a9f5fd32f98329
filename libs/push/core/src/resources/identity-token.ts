import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { ServiceError } from '@carillon/errors';
import type { DerivedKey, StoredDevice } from '@carillon/push-store';
import type { RateRule, RateVerdict } from '@carillon/rate-limit';
import type { PushParts } from '../parts.js';
import { IdentityKeys } from './identity-keys.js';
import { isLegacyRecord, verifyLegacy } from './legacy-identity.js';

const SCHEME = 'hmac-sha256';
const BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

const WINDOW_MS = 60_000;
const PER_DEVICE: RateRule = { identifier: 'push-identity-device', limit: 10, windowMs: WINDOW_MS };
const PER_ADDRESS: RateRule = { identifier: 'push-identity-address', limit: 60, windowMs: WINDOW_MS };

export interface IssuedToken {
  /** Given out once; it cannot be read again. */
  readonly token: string;
  /** The record to store. */
  readonly hash: string;
}

/** A token that is to be proved, and its sender. */
export interface Proof {
  /** Null: none was sent. */
  readonly token: string | null;
  /** Address of the client; null: unknown. */
  readonly address: string | null;
}

/**
 * Issues and verifies identity tokens of devices. A token carries 256 random bits, so a keyed hash protects it; a wrong
 * one costs one HMAC. Failures are limited per device and per client address. The right token is accepted beyond the
 * limit, so that a stranger cannot lock a device out.
 */
export class IdentityTokens {
  readonly #keys: IdentityKeys;

  constructor(private readonly parts: Pick<PushParts, 'rateLimit' | 'secrets' | 'store'>) {
    this.#keys = new IdentityKeys(parts.secrets.sealer, parts.store);
  }

  async issue(): Promise<IssuedToken> {
    const token = randomBytes(BYTES).toString('base64url');
    return { token, hash: recordOf(token, await this.#keys.current()) };
  }

  /**
   * Returns the record to store for the device: its own, or a new one where that has the older form or an earlier key.
   *
   * Rejects with ServiceError `auth_failed` for a missing or wrong token, `rate_limited` after too many wrong ones, and
   * `service_unavailable` while too many records of the older form are being verified.
   */
  async prove({ token, address }: Proof, device: StoredDevice): Promise<string> {
    const { identityHash: record } = device;
    if (token !== null && (await this.#matches(token, record, device))) {
      const key = await this.#keys.current();
      return record.startsWith(prefixOf(key)) ? record : recordOf(token, key);
    }
    if (token !== null) await this.#countFailure(device, address);
    throw new ServiceError('auth_failed', { text: 'the device identity token is missing or wrong' });
  }

  async #matches(token: string, record: string, device: StoredDevice): Promise<boolean> {
    if (!TOKEN.test(token)) return false;
    if (isLegacyRecord(record)) {
      await this.#requireAllowance(device);
      return verifyLegacy(device.appId, token, record);
    }
    const [scheme, id, digest, ...more] = record.split('$');
    if (scheme !== SCHEME || id === undefined || digest === undefined || more.length > 0) return false;
    const key = await this.#keys.find(id);
    const expected = Buffer.from(digest, 'base64url');
    return key !== null && expected.length === BYTES && timingSafeEqual(digestOf(token, key), expected);
  }

  /** Records of the older form are slow to verify, so guesses beyond the limit are refused before. */
  async #requireAllowance(device: StoredDevice): Promise<void> {
    const verdict = await this.#check(PER_DEVICE, subjectOf(device), 0);
    if (verdict.remaining === 0) throw tooMany(verdict);
  }

  async #countFailure(device: StoredDevice, address: string | null): Promise<void> {
    const verdicts = await Promise.all([
      this.#check(PER_DEVICE, subjectOf(device), 1),
      ...(address === null ? [] : [this.#check(PER_ADDRESS, address, 1)]),
    ]);
    const refused = verdicts.find(({ allowed }) => !allowed);
    if (refused !== undefined) throw tooMany(refused);
  }

  async #check(rule: RateRule, subject: string, cost: number): Promise<RateVerdict> {
    return this.parts.rateLimit.check(rule, subject, cost).catch((cause: unknown) => {
      throw new ServiceError('service_unavailable', { text: 'rate limiter unavailable', cause });
    });
  }
}

const subjectOf = ({ appId, deviceId }: StoredDevice): string => `${appId}:${deviceId}`;

const prefixOf = ({ id }: DerivedKey): string => `${SCHEME}$${id}$`;

const digestOf = (token: string, { bytes }: DerivedKey): Buffer =>
  createHmac('sha256', bytes).update(token).digest();

const recordOf = (token: string, key: DerivedKey): string =>
  `${prefixOf(key)}${digestOf(token, key).toString('base64url')}`;

const tooMany = ({ resetSeconds }: RateVerdict): ServiceError =>
  new ServiceError('rate_limited', {
    text: `too many wrong device identity tokens; retry in ${resetSeconds} seconds`,
    retryAfterSeconds: resetSeconds,
  });
