export { parseAppRecord, type AppRecord, type ParsedAppRecord } from './apps/app-record.js';
export { type Problem } from './problem.js';
export { REDACTED, Secret } from './secret.js';
