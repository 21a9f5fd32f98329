export {
  SurrealConflict,
  SurrealMisconfigured,
  SurrealQueryFailed,
  SurrealThrown,
  SurrealUnavailable,
} from './failures.js';
export { type IdParts, openSurreal, type SurrealSession } from './session.js';
export { type SurrealSettings } from './settings.js';
