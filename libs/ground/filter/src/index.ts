export { compileFilter, type CompiledFilter, type Filter, type FilterRules } from './compile.js';
export { SharedFilters, type AcquiredFilter, type HeldFilter } from './shared-filters.js';
export { FilterSubject, type FilterableEvent } from './subject.js';
