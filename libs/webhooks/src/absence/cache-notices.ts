import { randomUUID } from 'node:crypto';
import type { Cache } from '@carillon/cache';
import { cacheKeys } from '@carillon/contracts';
import { arrive, depart, isSettling, type Noted, type Notice, noticeText, readNotice } from './notice.js';
import type { Notices } from './shared-absences.js';

/** A record without changes for so long is dropped: at worst a notification is sent twice. */
const TTL_MS = 24 * 60 * 60 * 1000;
/** Other processes may change the record between the read and the write of this one. */
const MAX_TRIES = 8;

/** Life of the mark of a store. An expired mark costs at worst a notification that is sent twice. */
const MARK_TTL_MS = 30 * TTL_MS;
/** Within this time after a loss was noticed every process restates its members. */
const SAID_AGAIN_MS = 60_000;

/** Notices in the shared cache. A marker key detects a store that has lost everything. */
export class CacheNotices implements Notices {
  /** Null: not known yet. */
  #mark: string | null = null;
  #lostAtMs = -Infinity;

  constructor(
    private readonly cache: Pick<
      Cache,
      'compareAndRemove' | 'compareAndSwap' | 'get' | 'set' | 'setIfAbsent'
    >,
  ) {}

  async begin(): Promise<void> {
    this.#mark ??= await this.#readMark();
  }

  async came(key: string, serial: number, isAgain: boolean): Promise<boolean> {
    await this.begin();
    const isKnown = isAgain && (await this.#wasLost());
    const { outcome } = await this.#change(key, (now) => arrive(now, serial));
    return outcome === 'first' && !isKnown;
  }

  async went(key: string, serial: number): Promise<boolean> {
    const { outcome } = await this.#change(key, (now) => depart(now, serial));
    return outcome === 'open';
  }

  async gone(key: string, serial: number): Promise<boolean> {
    const { cache } = this;
    const name = cacheKeys.webhookNotice(key);
    const text = await cache.get(name);
    const now = readNotice(text);
    // Removed by a process that died before the event was in the queue, or lost with the store.
    if (now === null || text === null) return true;
    return isSettling(now, serial) && cache.compareAndRemove(name, text);
  }

  async #change<Outcome>(
    key: string,
    decide: (now: Notice | null) => Noted<Outcome>,
  ): Promise<Noted<Outcome>> {
    const { cache } = this;
    const name = cacheKeys.webhookNotice(key);
    for (let tries = 1; ; tries += 1) {
      const text = await cache.get(name);
      const noted = decide(readNotice(text));
      if (noted.next === undefined) return noted;
      const next = noticeText(noted.next);
      if (
        text === null
          ? await cache.setIfAbsent(name, next, TTL_MS)
          : await cache.compareAndSwap(name, text, next, TTL_MS)
      )
        return noted;
      if (tries === MAX_TRIES) throw new Error('the record of the place changes too often');
    }
  }

  /** Whether the store has lost everything lately. */
  async #wasLost(): Promise<boolean> {
    const mark = await this.#readMark();
    if (mark !== this.#mark) this.#lostAtMs = performance.now();
    this.#mark = mark;
    return performance.now() - this.#lostAtMs < SAID_AGAIN_MS;
  }

  async #readMark(): Promise<string> {
    const { cache } = this;
    const own = randomUUID();
    if (await cache.setIfAbsent(cacheKeys.webhookMark, own, MARK_TTL_MS)) return own;
    return (await cache.get(cacheKeys.webhookMark)) ?? own;
  }
}
