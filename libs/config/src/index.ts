export { parseAppRecord, type AppRecord, type ParsedAppRecord } from './apps/app-record.js';
export { configure, EXIT, type Configured, type ConfigureInput } from './configure.js';
export { type Env } from './load/environment.js';
export { type Files } from './load/files.js';
export {
  matchesOrigin,
  parseOriginPattern,
  type OriginPattern,
  type ParsedOriginPattern,
} from './origin-pattern.js';
export { type Problem } from './problem.js';
export { type ProcessKind } from './process-kind.js';
export { redacted, redactUrls } from './redact.js';
export { problemLine } from './report.js';
export { type AvailableDrivers } from './rules/rule.js';
export { type Config } from './schema/index.js';
export { PUSH_STAGES } from './schema/listener.js';
export { REDACTED, Secret } from './secret.js';
