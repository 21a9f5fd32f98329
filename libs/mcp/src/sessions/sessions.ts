import { createHash, randomBytes } from 'node:crypto';
import type { Cache } from '@carillon/cache';
import { cacheKeys } from '@carillon/contracts';
import type { ClientInfo } from '../rpc/stateless.js';
import type { SessionRevision } from '../rpc/revisions.js';

/** Owner of a session; another token of the same name has no access. */
export interface Owner {
  readonly principal: string;
  readonly proof: string;
}

/** Stored session. */
export interface SessionRecord extends Owner {
  readonly revision: SessionRevision;
  readonly client: ClientInfo;
  readonly createdMs: number;
  /** Toolsets that it enabled. */
  readonly toolsets: readonly string[];
}

/** A session in use. Only its client knows the id; the service stores the hash. */
export interface Session extends SessionRecord {
  readonly hash: string;
}

const MAX_SESSIONS = 200;
const ID_BYTES = 32;
const ID_FORM = /^[A-Za-z0-9_-]{43}$/;
/** Others begin or end a session of the same principal meanwhile. */
const ATTEMPTS = 20;

const listNameOf = (principal: string): string =>
  cacheKeys.mcpSessions(createHash('sha256').update(principal).digest('hex'));
const hashOf = (id: string): string => createHash('sha256').update(id).digest('hex');

/**
 * Sessions in the shared cache: any process serves any of them, and none dies with a process. Every method rejects when
 * the cache cannot be reached.
 */
export class Sessions {
  constructor(
    private readonly cache: Cache,
    /** Read whenever a life begins or is renewed. */
    private readonly ttlMs: () => number,
  ) {}

  /** A new session; beyond the bound the one that was used the longest ago ends for it. */
  async begin(record: SessionRecord): Promise<{ id: string; session: Session; evicted: string | null }> {
    const id = randomBytes(ID_BYTES).toString('base64url');
    const hash = hashOf(id);
    await this.cache.set(cacheKeys.mcpSession(hash), JSON.stringify(record), this.ttlMs());
    const evicted = await this.#enlist(record.principal, hash);
    return { id, session: { ...record, hash }, evicted };
  }

  /** Returns the session and renews its lifetime; null if the owner has none with that id. */
  async use(id: string, owner: Owner): Promise<Session | null> {
    if (!ID_FORM.test(id)) return null;
    return this.#renew(hashOf(id), owner);
  }

  /** Renews a session and returns its record as of now; null: it ended. */
  keep(session: Session): Promise<Session | null> {
    return this.#renew(session.hash, session);
  }

  /** Adds a toolset to a session and returns all that it enabled; null: it ended. */
  async enable(hash: string, toolset: string): Promise<readonly string[] | null> {
    const changed = await this.#change(hash, (record) => ({
      ...record,
      toolsets: [...new Set([...record.toolsets, toolset])],
    }));
    return changed === null ? null : changed.toolsets;
  }

  /** False: it was over already. */
  end(hash: string): Promise<boolean> {
    return this.cache.remove(cacheKeys.mcpSession(hash));
  }

  /** Ends every session of a principal; those that were not over yet. */
  async endAllOf(principal: string): Promise<readonly string[]> {
    const name = listNameOf(principal);
    const text = await this.cache.get(name);
    if (text === null) return [];
    const ended: string[] = [];
    for (const hash of JSON.parse(text) as string[]) if (await this.end(hash)) ended.push(hash);
    // One that begins meanwhile is on another list, which stays.
    await this.cache.compareAndRemove(name, text);
    return ended;
  }

  lives(hash: string): Promise<boolean> {
    return this.cache.has(cacheKeys.mcpSession(hash));
  }

  async #renew(hash: string, { principal, proof }: Owner): Promise<Session | null> {
    const record = await this.#change(hash, (stored) =>
      stored.principal === principal && stored.proof === proof ? stored : null,
    );
    return record === null ? null : { ...record, hash };
  }

  /**
   * Replaces a record and renews its life; null: it ended, or `change` refused it. A record that another process changes
   * meanwhile is read again, and one that another process ends is not written back.
   */
  async #change(
    hash: string,
    change: (record: SessionRecord) => SessionRecord | null,
  ): Promise<SessionRecord | null> {
    const name = cacheKeys.mcpSession(hash);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const text = await this.cache.get(name);
      if (text === null) return null;
      const next = change({ toolsets: [], ...(JSON.parse(text) as Partial<SessionRecord>) } as SessionRecord);
      if (next === null) return null;
      if (await this.cache.compareAndSwap(name, text, JSON.stringify(next), this.ttlMs())) return next;
    }
    throw new Error('too many changes of one session at once');
  }

  /** Puts it on the list of its principal; returns the one that had to go. */
  async #enlist(principal: string, hash: string): Promise<string | null> {
    const name = listNameOf(principal);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const text = await this.cache.get(name);
      const listed = text === null ? [] : (JSON.parse(text) as string[]);
      const { kept, last } = await this.#withRoom(listed);
      const next = JSON.stringify([...kept, hash]);
      const done =
        text === null
          ? await this.cache.setIfAbsent(name, next, 0)
          : await this.cache.compareAndSwap(name, text, next, 0);
      if (!done) continue;
      if (last !== null) await this.end(last);
      return last;
    }
    await this.end(hash);
    throw new Error('too many sessions of one principal begin at once');
  }

  /** All live as long after their last use, so the one with the least time left is the one to go. */
  async #withRoom(listed: readonly string[]): Promise<{ kept: readonly string[]; last: string | null }> {
    if (listed.length < MAX_SESSIONS) return { kept: listed, last: null };
    const lives = await Promise.all(
      listed.map(async (hash) => ({ hash, entry: await this.cache.entry(cacheKeys.mcpSession(hash)) })),
    );
    const alive = lives.flatMap(({ hash, entry }) =>
      entry === null ? [] : [{ hash, leftMs: entry.ttlMs ?? Infinity }],
    );
    const hashes = alive.map(({ hash }) => hash);
    if (hashes.length < MAX_SESSIONS) return { kept: hashes, last: null };
    const last = alive.reduce((one, other) => (other.leftMs < one.leftMs ? other : one)).hash;
    return { kept: hashes.filter((hash) => hash !== last), last };
  }
}
