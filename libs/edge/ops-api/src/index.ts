export { type AppStatistics, type Occupancy, type Totals } from './occupancy.js';
export { OpsApiModule } from './ops-api.module.js';
export { APP_LOOKUP, type OpsApiOptions, type OpsRoute } from './options.js';
export { type StatisticsBody, type UsageBody } from './statistics.js';
export { type AppLookup } from './up.js';
