export { type Aging, Recency } from './recency.js';
export { UuidList } from './uuid-list.js';
