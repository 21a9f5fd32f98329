export { FairQueue } from './fair-queue.js';
export { lendPoisoned, POISON, POISON_VARIABLE } from './lent-bytes.js';
export { type Aging, Recency } from './recency.js';
export { RecentlyUsed } from './recently-used.js';
export { UuidList } from './uuid-list.js';
export { Wheel, type WheelItem } from './wheel.js';
