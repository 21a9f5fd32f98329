export { checkHost, guardedLookup, TargetNotAllowed } from './guarded-lookup.js';
export { Limit } from './limit.js';
