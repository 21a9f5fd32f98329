export { ensureTable, type TablePlan } from './ensure-table.js';
export { ScyllaRejected, ScyllaUnavailable } from './failures.js';
export { type ReadOptions, type RowPage, type ScyllaRow, ScyllaSession, type Statement } from './session.js';
export { quoted, type ScyllaSettings } from './settings.js';
export { within } from './within.js';
