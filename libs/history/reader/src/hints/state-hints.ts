import type { Cache } from '@carillon/cache';
import { cacheKeys } from '@carillon/contracts';
import { type StreamAddress, streamName } from '@carillon/history-store';
import { bounded } from '@carillon/runtime';
import { addressOf, hintOf, hintText, type Mark, readHint, type StateHint } from './hint.js';

/** Source of a hint. */
export type HintSource = 'local_memory_hint' | 'shared_cache_hint';

export interface FoundHint {
  readonly hint: StateHint;
  readonly source: HintSource;
}

/** A transition to be stored. */
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

/** Limit of hints in memory; further ones are in the shared cache only. */
export const MAX_KEPT = 10_000;
const CACHED_MS = 3_600_000;
/** Time that a page waits for the shared cache. */
const CACHE_PATIENCE_MS = 250;

const keyOf = ({ appId, channel, kind }: StreamAddress): string =>
  kind === 'messages'
    ? cacheKeys.historyDegraded(appId, channel)
    : cacheKeys.presenceDegraded(appId, channel);

/**
 * States of streams that could not be stored yet: in the memory of this process, and in the shared cache for other
 * processes. An unavailable cache is ignored.
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

  /** Records a transition at a given time. A repeat keeps the first time. */
  async keep(mark: Mark, atMs: number): Promise<void> {
    const address = addressOf(mark);
    const before = this.keptOf(address);
    if (before?.mark.state === mark.state && before.mark.reason === mark.reason) return;
    const kept: KeptMark = { mark, hint: hintOf(mark, atMs), cachedUntilMs: null };
    if (before !== undefined || this.#kept.size < MAX_KEPT) this.#kept.set(streamName(address), kept);
    await this.share(kept);
  }

  /** Writes a hint to the shared cache unless it has enough lifetime left there or a newer one exists. */
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

  /** Removes hints up to that time: they are stored, or no longer true. */
  async forget(address: StreamAddress, untilMs: number): Promise<void> {
    const kept = this.keptOf(address);
    if (kept === undefined || kept.hint.changedAtMs > untilMs) return;
    this.#kept.delete(streamName(address));
    await bounded(CACHE_PATIENCE_MS, () =>
      this.parts.cache.compareAndRemove(keyOf(address), hintText(kept.hint)),
    );
  }

  /** Removes all hints of a stream that was restarted. */
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
