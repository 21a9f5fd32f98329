export { type Aging, Recency } from './recency.js';
