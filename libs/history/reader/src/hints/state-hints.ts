import type { Cache } from '@carillon/cache';
import { cacheKeys } from '@carillon/contracts';
import { type StreamAddress, streamName } from '@carillon/history-store';
import { bounded } from '@carillon/runtime';
import { addressOf, hintOf, hintText, type Mark, readHint, type StateHint } from './hint.js';

/** Where a hint was found. */
export type HintSource = 'local_memory_hint' | 'shared_cache_hint';

export interface FoundHint {
  readonly hint: StateHint;
  readonly source: HintSource;
}

/** A transition that the store is to be told of. */
export interface KeptMark {
  readonly mark: Mark;
  readonly hint: StateHint;
  /** Until when the shared cache has it for certain, by a clock that only grows; null: it has it not. */
  cachedUntilMs: number | null;
}

export interface StateHintsParts {
  readonly cache: Pick<Cache, 'compareAndRemove' | 'get' | 'remove' | 'set'>;
  /** Milliseconds that only grow. */
  readonly elapsed: () => number;
}

/** So many streams are kept in mind; with more, the shared cache alone knows of them. */
export const MOST_KEPT = 10_000;
const CACHED_MS = 3_600_000;
/** A page does not wait longer for what the shared cache knows. */
const CACHE_PATIENCE_MS = 250;

const keyOf = ({ appId, channel, kind }: StreamAddress): string =>
  kind === 'messages'
    ? cacheKeys.historyDegraded(appId, channel)
    : cacheKeys.presenceDegraded(appId, channel);

/**
 * The states of streams that the store could not be told of yet: in the memory of this process, and in the shared cache
 * for the others. A cache that is away takes nothing and knows nothing; nobody fails for that.
 */
export class StateHints {
  readonly #kept = new Map<string, KeptMark>();

  constructor(private readonly parts: StateHintsParts) {}

  get kept(): readonly KeptMark[] {
    return [...this.#kept.values()];
  }

  keptOf(address: StreamAddress): KeptMark | undefined {
    return this.#kept.get(streamName(address));
  }

  /** Keeps a transition of that moment. Said again, it is that of the first time. */
  async keep(mark: Mark, atMs: number): Promise<void> {
    const address = addressOf(mark);
    const before = this.keptOf(address);
    if (before?.mark.state === mark.state && before.mark.reason === mark.reason) return;
    const kept: KeptMark = { mark, hint: hintOf(mark, atMs), cachedUntilMs: null };
    if (before !== undefined || this.#kept.size < MOST_KEPT) this.#kept.set(streamName(address), kept);
    await this.share(kept);
  }

  /** Puts a hint into the shared cache unless it is there for long still, or a newer one is. */
  async share(kept: KeptMark): Promise<void> {
    const { cache, elapsed } = this.parts;
    if (kept.cachedUntilMs !== null && kept.cachedUntilMs - elapsed() > CACHED_MS / 2) return;
    const key = keyOf(addressOf(kept.mark));
    const { kind } = await bounded(CACHE_PATIENCE_MS, async () => {
      const there = readHint(await cache.get(key));
      if (there !== null && there.changedAtMs > kept.hint.changedAtMs) return;
      await cache.set(key, hintText(kept.hint), CACHED_MS);
    });
    if (kind === 'done') kept.cachedUntilMs = elapsed() + CACHED_MS;
  }

  /** Tries it after all others. */
  postpone(kept: KeptMark): void {
    const name = streamName(addressOf(kept.mark));
    if (this.#kept.get(name) !== kept) return;
    this.#kept.delete(name);
    this.#kept.set(name, kept);
  }

  /** The store knows by now of what was until that moment, or it is not so. */
  async forget(address: StreamAddress, untilMs: number): Promise<void> {
    const kept = this.keptOf(address);
    if (kept === undefined || kept.hint.changedAtMs > untilMs) return;
    this.#kept.delete(streamName(address));
    await bounded(CACHE_PATIENCE_MS, () =>
      this.parts.cache.compareAndRemove(keyOf(address), hintText(kept.hint)),
    );
  }

  /** The stream began anew: whatever anybody said of it is over. */
  async clear(address: StreamAddress): Promise<void> {
    this.#kept.delete(streamName(address));
    await bounded(CACHE_PATIENCE_MS, () => this.parts.cache.remove(keyOf(address)));
  }

  /** The newest that is known here or in the shared cache; null: none. Never rejects. */
  async newest(address: StreamAddress): Promise<FoundHint | null> {
    const own = this.keptOf(address)?.hint;
    const asked = await bounded(CACHE_PATIENCE_MS, () => this.parts.cache.get(keyOf(address)));
    const shared = asked.kind === 'done' ? readHint(asked.value) : null;
    if (shared !== null && shared.changedAtMs > (own?.changedAtMs ?? -1))
      return { hint: shared, source: 'shared_cache_hint' };
    return own === undefined ? null : { hint: own, source: 'local_memory_hint' };
  }
}
