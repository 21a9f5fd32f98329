export { type HistoryAccess } from './history/durable-channel.js';
export { HISTORY_ACCESS, HttpApiModule } from './module.js';
