export { compileFilter, type CompiledFilter, type Filter, type FilterRules } from './compile.js';
export type { Literals } from './literals.js';
export { documentOf, type FilterDocument } from './document.js';
export { compileExpression, type Expression } from './expression/expression.js';
export { DistinctFilters, type FilterLimits, type FilterPlace } from './distinct-filters.js';
export { MalformedFilter } from './malformed.js';
export { SharedFilters, type AcquiredFilter, type HeldFilter } from './shared-filters.js';
export { FilterSubject, type FilterableEvent } from './subject.js';
