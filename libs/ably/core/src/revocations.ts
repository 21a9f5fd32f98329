import { createHash } from 'node:crypto';
import type { Cache } from '@carillon/cache';
import { Capability } from './capability.js';
import { CompatError, unavailable } from './compat-error.js';
import { isObject, type JsonObject, parseJson } from './json.js';
import { orUnavailable } from './tokens.js';

/** A revocation of tokens of a key. */
export interface Revocation {
  readonly type: 'channel' | 'clientId' | 'revocationKey';
  readonly value: string;
  /** Only those issued before. */
  readonly issuedBefore: number;
  readonly appliesAt: number;
}

/** The token properties that revocations match. */
export interface Revocable {
  readonly keyName: string;
  readonly issuedMs: number;
  readonly clientId: string | null;
  readonly revocationKey: string | null;
  readonly capability: Capability;
}

/** A revocation request. */
export interface RevocationRequest {
  readonly targets: readonly string[];
  readonly issuedBefore: number;
  readonly appliesAt: number;
}

const TYPES: ReadonlySet<string> = new Set(['channel', 'clientId', 'revocationKey']);
const MAX_TARGETS = 100;
const MAX_VALUE_BYTES = 256;
const PAST_MS = 3_600_000;
const AHEAD_MS = 1000;
/** A client that is let renew its token has a little while for it. */
const MARGIN_MS = 30_001;
/** The limit of revocations per key; beyond it, new ones are refused until some expire. */
const MAX_KEPT = 10_000;
const ATTEMPTS = 8;

const malformed = (text: string): CompatError => new CompatError(40_000, text);

/** @throws CompatError 40000 if the request is invalid. */
export function readRevocation(body: unknown, nowMs: number): RevocationRequest {
  if (!isObject(body)) throw malformed('the body must be an object');
  const { targets } = body;
  const issuedBefore = body['issuedBefore'] ?? nowMs + 1;
  const allowReauthMargin = body['allowReauthMargin'] ?? false;
  if (!Array.isArray(targets) || targets.length === 0 || targets.length > MAX_TARGETS)
    throw malformed(`targets must be a list of 1 to ${MAX_TARGETS}`);
  if (!targets.every((one): one is string => typeof one === 'string'))
    throw malformed('targets must be texts');
  if (
    typeof issuedBefore !== 'number' ||
    !Number.isSafeInteger(issuedBefore) ||
    issuedBefore < nowMs - PAST_MS ||
    issuedBefore > nowMs + AHEAD_MS
  )
    throw malformed('issuedBefore is out of range');
  if (typeof allowReauthMargin !== 'boolean') throw malformed('allowReauthMargin must be a boolean');
  return { targets, issuedBefore, appliesAt: allowReauthMargin ? nowMs + MARGIN_MS : nowMs };
}

/** Whether a revocation is about the token, whenever it applies. */
export function concerns(revocation: Revocation, token: Revocable): boolean {
  if (token.issuedMs >= revocation.issuedBefore) return false;
  const { type, value } = revocation;
  if (type === 'clientId') return token.clientId === value;
  if (type === 'revocationKey') return token.revocationKey === value;
  return token.capability.onChannel(value).length > 0;
}

/** Revocations, in the cache that all processes share: one entry a key. */
export class Revocations {
  /** The last read revocations by key, so that the text is not parsed again for each request. */
  readonly #read = new Map<string, { readonly text: string; readonly all: readonly Revocation[] }>();

  constructor(
    private readonly cache: Pick<Cache, 'compareAndSwap' | 'get' | 'setIfAbsent'>,
    private readonly keptMs: number,
  ) {}

  /** Revokes the valid targets and returns a result for each. Rejects with CompatError if nothing could be stored. */
  async add(keyName: string, request: RevocationRequest, nowMs: number): Promise<readonly object[]> {
    const { issuedBefore, appliesAt } = request;
    const read = request.targets.map((target) => ({ target, revocation: revocationOf(target, request) }));
    const added = read.flatMap(({ revocation }) => revocation ?? []);
    if (added.length > 0) await this.#keep(keyName, added, nowMs);
    return read.map(({ target, revocation }) =>
      revocation === null
        ? { target, error: malformed('the target is not known').body }
        : { target, issuedBefore, appliesAt },
    );
  }

  /**
   * Returns the first revocation that matches a token, or null if none does. Rejects with CompatError 50000 if that
   * cannot be determined.
   */
  async of(token: Revocable): Promise<Revocation | null> {
    const all = await this.list(token.keyName);
    const found = all.filter((one) => concerns(one, token));
    return found.sort((one, other) => one.appliesAt - other.appliesAt)[0] ?? null;
  }

  /** Everything that was revoked of a key. */
  async list(keyName: string): Promise<readonly Revocation[]> {
    const text = await orUnavailable(this.cache.get(nameOf(keyName)));
    const known = this.#read.get(keyName);
    if (text !== null && known?.text === text) return known.all;
    const all = readKept(text);
    if (text === null) this.#read.delete(keyName);
    else this.#read.set(keyName, { text, all });
    return all;
  }

  async #keep(keyName: string, added: readonly Revocation[], nowMs: number): Promise<void> {
    const name = nameOf(keyName);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const before = await orUnavailable(this.cache.get(name));
      // A token that was issued before this lives no longer than it may.
      const kept = readKept(before).filter((one) => nowMs < one.issuedBefore + this.keptMs);
      const all = [...kept, ...added];
      if (all.length > MAX_KEPT) throw new CompatError(50_003, 'too much is revoked already, retry later');
      const text = JSON.stringify(all);
      const isDone = await orUnavailable(
        before === null
          ? this.cache.setIfAbsent(name, text, this.keptMs + AHEAD_MS)
          : this.cache.compareAndSwap(name, before, text, this.keptMs + AHEAD_MS),
      );
      if (isDone) return;
    }
    throw unavailable();
  }
}

const nameOf = (keyName: string): string =>
  `compat:revoked:${createHash('sha256').update(keyName).digest('hex')}`;

/** Returns the revocation of a target, or null if the target type is unknown. */
export function revocationOf(
  target: string,
  { issuedBefore, appliesAt }: Pick<RevocationRequest, 'appliesAt' | 'issuedBefore'>,
): Revocation | null {
  const colon = target.indexOf(':');
  const [type, value] = [target.slice(0, colon), target.slice(colon + 1)];
  if (colon < 1 || !TYPES.has(type) || value === '' || Buffer.byteLength(value) > MAX_VALUE_BYTES)
    return null;
  return { type: type as Revocation['type'], value, issuedBefore, appliesAt };
}

const isRevocation = (one: unknown): one is Revocation & JsonObject =>
  isObject(one) && typeof one['value'] === 'string' && typeof one['issuedBefore'] === 'number';

function readKept(text: string | null): readonly Revocation[] {
  const kept = text === null ? [] : parseJson(text);
  return Array.isArray(kept) ? kept.filter(isRevocation) : [];
}
