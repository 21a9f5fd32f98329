import type { Config } from '@carillon/config';
import type { Limits } from './limits.js';
import type { OneTimeLogin } from './one-time.js';
import type { Principals } from './principals.js';
import type { Sessions } from './sessions.js';

/** What opens and ends sessions. */
export interface LoginParts {
  readonly sessions: Sessions;
  readonly limits: Limits;
  readonly oneTime: OneTimeLogin;
  /** Of the configuration as last reloaded. */
  readonly principals: () => Principals;
  readonly settings: () => Config['management'];
  readonly authFailed: (reason: string) => void;
  readonly sessionEnded: (hash: string) => void;
}
