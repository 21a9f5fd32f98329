import { compileFilter, type CompiledFilter, type Filter, type FilterRules } from './compile.js';
import {
  type CountedFilter,
  DistinctFilters,
  type FilterLimits,
  type FilterPlace,
} from './distinct-filters.js';

const REMEDY = 'use the filter of another subscription, or one eq or in node or a list of events';
/** Literal filters are found by a hash lookup, and do not count. */
const UNCOUNTED: CountedFilter = { ok: true, release: () => undefined };

interface Shared {
  readonly compiled: CompiledFilter;
  readonly key: string;
  holders: number;
}

/** A filter in use; released when its subscription ends. */
export interface HeldFilter {
  readonly filter: Filter;
  /** Once; a second time has no effect. */
  release(): void;
}

/** A filter to hold, null where nothing is restricted; or the reason of the refusal, in words for the client. */
export type AcquiredFilter =
  | { readonly ok: true; readonly held: HeldFilter | null }
  | { readonly ok: false; readonly why: 'malformed' | 'too_many'; readonly reason: string };

/** Filters in use, compiled once however many subscriptions have the same, and limited per channel and app. */
export class SharedFilters {
  readonly #byKey = new Map<string, Shared>();
  readonly #evaluated: DistinctFilters;

  constructor(
    private readonly rules: FilterRules,
    limits: FilterLimits,
  ) {
    this.#evaluated = new DistinctFilters(limits, REMEDY);
  }

  /** Number of distinct filters in use. */
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
    const counted = filter.isLiteral ? UNCOUNTED : this.#evaluated.hold(key, place);
    if (!counted.ok) return { ...counted, why: 'too_many' };
    return { ok: true, held: this.#hold(shared, filter, counted.release) };
  }

  #hold(shared: Shared, filter: Filter, uncount: () => void): HeldFilter {
    shared.holders += 1;
    this.#byKey.set(shared.key, shared);
    let isHeld = true;
    return {
      filter,
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        shared.holders -= 1;
        uncount();
        if (shared.holders === 0) this.#byKey.delete(shared.key);
      },
    };
  }
}
