import { RecentlyUsed } from '@carillon/collections';
import { compileExpression, type Expression, MalformedFilter } from '@carillon/filter';
import { CompatError } from '../compat-error.js';
import type { RuntimeCounters } from '../statistics/counters.js';

const MAX_ENTRIES = 1024;
const MAX_BYTES = 1024 * 1024;

/** The expressions of derived channels, compiled once as long as they are used. */
export class DerivedFilters {
  readonly #compiled: RecentlyUsed<Expression>;

  constructor(private readonly counters: Pick<RuntimeCounters, 'add' | 'gauge'>) {
    this.#compiled = new RecentlyUsed(MAX_ENTRIES, MAX_BYTES, () => counters.add('filter_cache_evictions'));
    counters.gauge('filter_cache_entries', () => this.#compiled.size);
    counters.gauge('filter_cache_bytes', () => this.#compiled.bytes);
  }

  /**
   * The same one for the same text, unless it had to make place for others.
   *
   * @throws CompatError 40010 when it is no expression.
   */
  of(source: string): Expression {
    const known = this.#compiled.get(source);
    this.counters.add(known === undefined ? 'filter_cache_misses' : 'filter_cache_hits');
    if (known !== undefined) return known;
    const expression = compiled(source);
    this.#compiled.put(source, expression);
    return expression;
  }
}

function compiled(source: string): Expression {
  try {
    return compileExpression(source);
  } catch (problem) {
    if (problem instanceof MalformedFilter) throw new CompatError(40_010, 'the filter is no expression');
    throw problem;
  }
}
