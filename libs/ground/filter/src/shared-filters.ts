import { compileFilter, type CompiledFilter, type Filter, type FilterRules } from './compile.js';
import { DistinctCounts } from './distinct-counts.js';

interface Shared {
  readonly compiled: CompiledFilter;
  readonly key: string;
  holders: number;
}

/** A filter in use; to be given back when its subscription ends. */
export interface HeldFilter {
  readonly filter: Filter;
  /** Once; a second time has no effect. */
  release(): void;
}

/** A filter to hold, null where nothing is restricted; or the reason of the refusal, in words for the client. */
export type AcquiredFilter =
  | { readonly ok: true; readonly held: HeldFilter | null }
  | { readonly ok: false; readonly why: 'malformed' | 'too_many'; readonly reason: string };

/** Distinct filters that are not literal: each of them is evaluated for every message of its channel. */
export interface FilterLimits {
  readonly maxPerChannel: number;
  readonly maxPerApp: number;
}

/** The channel or pattern of a subscription. */
export interface FilterPlace {
  readonly appId: string;
  readonly channel: string;
}

/** Filters in use, compiled once however many subscriptions have the same, and limited per channel and app. */
export class SharedFilters {
  readonly #byKey = new Map<string, Shared>();
  readonly #evaluated = new DistinctCounts();

  constructor(
    private readonly rules: FilterRules,
    private readonly limits: FilterLimits,
  ) {}

  /** How many distinct filters are in use. */
  get size(): number {
    return this.#byKey.size;
  }

  /** Compiles a filter, or returns the one in use that is equal. Refuses a distinct filter beyond the limits. */
  acquire(value: unknown, place: FilterPlace): AcquiredFilter {
    const key = JSON.stringify(value) ?? '';
    const shared = this.#byKey.get(key) ?? { key, compiled: compileFilter(value, this.rules), holders: 0 };
    const { compiled } = shared;
    if (!compiled.ok) return { ...compiled, why: 'malformed' };
    const { filter } = compiled;
    if (filter === null) return { ok: true, held: null };
    const scopes = filter.isLiteral ? [] : this.#scopesOf(place);
    for (const { scope, of, most, setting } of scopes) {
      if (this.#evaluated.has(scope, key) || this.#evaluated.of(scope) < most) continue;
      const reason =
        `${of} has ${most} distinct filters already (${setting}); ` +
        'use the filter of another subscription, or one eq or in node or a list of events';
      return { ok: false, why: 'too_many', reason };
    }
    return { ok: true, held: this.#hold(shared, filter, scopes) };
  }

  #scopesOf({ appId, channel }: FilterPlace) {
    const { maxPerChannel, maxPerApp } = this.limits;
    return [
      {
        scope: JSON.stringify([appId, channel]),
        of: 'The channel',
        most: maxPerChannel,
        setting: 'tag_filtering.max_filters_per_channel',
      },
      {
        scope: JSON.stringify([appId]),
        of: 'The app',
        most: maxPerApp,
        setting: 'tag_filtering.max_filters_per_app',
      },
    ] as const;
  }

  #hold(shared: Shared, filter: Filter, scopes: readonly { readonly scope: string }[]): HeldFilter {
    shared.holders += 1;
    this.#byKey.set(shared.key, shared);
    for (const { scope } of scopes) this.#evaluated.add(scope, shared.key);
    let isHeld = true;
    return {
      filter,
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        shared.holders -= 1;
        for (const { scope } of scopes) this.#evaluated.remove(scope, shared.key);
        if (shared.holders === 0) this.#byKey.delete(shared.key);
      },
    };
  }
}
