import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import { ServiceError } from '@carillon/errors';
import type { Principal, Principals } from './principals.js';

/** A session that authenticated a request. */
export interface ActiveSession {
  readonly principal: Principal;
  /** SHA-256 of the session id, hexadecimal. Logs show its first 12 digits only. */
  readonly hash: string;
  readonly csrfToken: string;
  readonly expiresAtMs: number;
  readonly idleExpiresAtMs: number;
}

/** A new session with its id, which only the cookie may hold. */
export type NewSession = ActiveSession & { readonly id: string };

interface SessionRecord {
  readonly principal: string;
  readonly proof: string;
  readonly createdMs: number;
  readonly usedMs: number;
}

export interface SessionParts {
  readonly cache: Cache;
  readonly principals: () => Principals;
  readonly settings: () => Config['management'];
  readonly now: () => number;
}

const MAX_SESSIONS = 20;
const MAX_LIST_ATTEMPTS = 10;
const ID = /^[A-Za-z0-9_-]{43}$/;

const keyOf = (hash: string): string => `management:session:${hash}`;
const listKeyOf = (principal: string): string => `management:sessions:${principal}`;
const hashOf = (id: string): string => createHash('sha256').update(id).digest('hex');
const csrfTokenOf = (id: string): string =>
  createHmac('sha256', id).update('management csrf').digest('base64url');

/**
 * Sessions in the shared cache; no process keeps a copy, so an ended session is refused everywhere immediately. Every
 * method rejects with `service_unavailable` when the cache cannot be reached.
 */
export class Sessions {
  constructor(private readonly parts: SessionParts) {}

  async create(principal: Principal): Promise<NewSession> {
    const id = randomBytes(32).toString('base64url');
    const hash = hashOf(id);
    const nowMs = this.parts.now();
    const record = { principal: principal.name, proof: principal.proof, createdMs: nowMs, usedMs: nowMs };
    await reached(this.parts.cache.set(keyOf(hash), JSON.stringify(record), this.#ttlMs(record)));
    await reached(this.#enlist(principal.name, hash));
    return { ...this.#active(principal, hash, id, record), id };
  }

  /** Returns the session of a cookie value; null if there is none, it ended, or its token is not valid any more. */
  async find(id: string): Promise<ActiveSession | null> {
    if (!ID.test(id)) return null;
    const hash = hashOf(id);
    const text = await reached(this.parts.cache.get(keyOf(hash)));
    const record = text === null ? null : (JSON.parse(text) as SessionRecord);
    if (record === null || text === null) return null;
    const nowMs = this.parts.now();
    const principal = this.parts.principals().ofSession(record.principal, record.proof, nowMs);
    if (principal === null || this.#hasEnded(record, nowMs)) {
      await reached(this.parts.cache.remove(keyOf(hash)));
      return null;
    }
    return this.#active(principal, hash, id, await this.#renew(hash, text, record, nowMs));
  }

  /** Whether a session still exists, without renewing it. */
  async exists({ hash, principal }: Pick<ActiveSession, 'hash' | 'principal'>): Promise<boolean> {
    const text = await reached(this.parts.cache.get(keyOf(hash)));
    if (text === null) return false;
    const record = JSON.parse(text) as SessionRecord;
    const nowMs = this.parts.now();
    const isKnown = this.parts.principals().ofSession(principal.name, record.proof, nowMs) !== null;
    return isKnown && !this.#hasEnded(record, nowMs);
  }

  async end(hash: string): Promise<void> {
    await reached(this.parts.cache.remove(keyOf(hash)));
  }

  #hasEnded({ createdMs, usedMs }: SessionRecord, nowMs: number): boolean {
    const { session_idle_seconds: idle, session_max_seconds: max } = this.parts.settings();
    return nowMs - usedMs >= idle * 1000 || nowMs - createdMs >= max * 1000;
  }

  /** Writes the last use at most every tenth of the idle time. A swap, so that an ended session is not restored. */
  async #renew(hash: string, text: string, record: SessionRecord, nowMs: number): Promise<SessionRecord> {
    if (nowMs - record.usedMs < this.parts.settings().session_idle_seconds * 100) return record;
    const renewed = { ...record, usedMs: nowMs };
    const { cache } = this.parts;
    await reached(cache.compareAndSwap(keyOf(hash), text, JSON.stringify(renewed), this.#ttlMs(renewed)));
    return renewed;
  }

  /** Adds to the sessions of a principal and ends the oldest beyond the limit. */
  async #enlist(principal: string, hash: string): Promise<void> {
    const { cache, settings } = this.parts;
    const name = listKeyOf(principal);
    const ttlMs = settings().session_max_seconds * 1000;
    for (let attempt = 0; attempt < MAX_LIST_ATTEMPTS; attempt++) {
      const before = await cache.get(name);
      const hashes = before === null ? [] : (JSON.parse(before) as string[]);
      const live = await this.#living(hashes);
      const all = [...live, hash];
      const kept = all.slice(-MAX_SESSIONS);
      const text = JSON.stringify(kept);
      const isWritten =
        before === null
          ? await cache.setIfAbsent(name, text, ttlMs)
          : await cache.compareAndSwap(name, before, text, ttlMs);
      if (!isWritten) continue;
      for (const ended of all.slice(0, -MAX_SESSIONS)) await cache.remove(keyOf(ended));
      return;
    }
    await cache.remove(keyOf(hash));
    throw new ServiceError('service_unavailable', { text: 'too many logins at the same time, retry' });
  }

  async #living(hashes: readonly string[]): Promise<string[]> {
    const found = await Promise.all(hashes.map((hash) => this.parts.cache.has(keyOf(hash))));
    return hashes.filter((_, index) => found[index]);
  }

  #ttlMs({ createdMs, usedMs }: SessionRecord): number {
    const { session_idle_seconds: idle, session_max_seconds: max } = this.parts.settings();
    return Math.max(1, Math.min(usedMs + idle * 1000, createdMs + max * 1000) - this.parts.now());
  }

  #active(principal: Principal, hash: string, id: string, record: SessionRecord): ActiveSession {
    const { session_idle_seconds: idle, session_max_seconds: max } = this.parts.settings();
    const expiresAtMs = Math.min(record.createdMs + max * 1000, principal.expiresAtMs ?? Infinity);
    return {
      principal,
      hash,
      csrfToken: csrfTokenOf(id),
      expiresAtMs,
      idleExpiresAtMs: Math.min(record.usedMs + idle * 1000, expiresAtMs),
    };
  }
}

const CACHE_TIMEOUT_MS = 2000;

async function reached<T>(work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('the cache did not answer in time')), CACHE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    throw new ServiceError('service_unavailable', { text: 'the session store is unavailable', cause });
  } finally {
    clearTimeout(timer);
  }
}
