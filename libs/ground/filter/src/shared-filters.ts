import { compileFilter, type CompiledFilter, type Filter, type FilterRules } from './compile.js';

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

/** A filter to hold, null where nothing is restricted; or why it is malformed. */
export type AcquiredFilter =
  | { readonly ok: true; readonly held: HeldFilter | null }
  | { readonly ok: false; readonly reason: string };

/** Filters in use, compiled once however many subscriptions have the same. As many as there are subscriptions at most. */
export class SharedFilters {
  readonly #byKey = new Map<string, Shared>();

  constructor(private readonly rules: FilterRules) {}

  /** How many distinct filters are in use. */
  get size(): number {
    return this.#byKey.size;
  }

  acquire(value: unknown): AcquiredFilter {
    const key = JSON.stringify(value) ?? '';
    const shared = this.#byKey.get(key) ?? { key, compiled: compileFilter(value, this.rules), holders: 0 };
    const { compiled } = shared;
    if (!compiled.ok) return compiled;
    return { ok: true, held: compiled.filter === null ? null : this.#hold(shared, compiled.filter) };
  }

  #hold(shared: Shared, filter: Filter): HeldFilter {
    shared.holders += 1;
    this.#byKey.set(shared.key, shared);
    let isHeld = true;
    return {
      filter,
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        shared.holders -= 1;
        if (shared.holders === 0) this.#byKey.delete(shared.key);
      },
    };
  }
}
