export { type Aging, Recency } from './recency.js';
export { RecentlyUsed } from './recently-used.js';
export { UuidList } from './uuid-list.js';
export { FARTHEST_TICKS, Wheel, type WheelItem } from './wheel.js';
