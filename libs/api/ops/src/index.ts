export { OpsApiModule } from './ops-api.module.js';
export { APP_LOOKUP, type OpsApiOptions, type OpsRoute } from './options.js';
