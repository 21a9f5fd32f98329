import type { AppRegistry } from '@carillon/app-registry';
import type { Cache } from '@carillon/cache';
import type { Config } from '@carillon/config';
import type { Fleet } from '@carillon/fleet-state';
import type { Operations } from '@carillon/api-operations';
import type { PushOperations } from '@carillon/push-core';
import type { Queue } from '@carillon/queue';
import type { Logger } from '@carillon/runtime';
import type { AuditLog } from './audit/audit-log.js';
import type { LoginParts } from './auth/login.js';

/** Everything that handlers of routes work with. Parts that a process may lack are null. */
export interface ManagementParts extends LoginParts {
  /** Effective configuration of the process. */
  readonly config: Config;
  readonly apps: AppRegistry;
  readonly cache: Cache;
  readonly audit: AuditLog;
  readonly fleet: Fleet;
  readonly operations: Operations;
  /** Null: this process has no push. */
  readonly push: PushOperations | null;
  readonly queue: Queue | null;
  readonly pushQueue: Queue | null;
  /** Name of the app of this process. */
  readonly role: string;
  readonly log: Logger;
  /** The OpenAPI document of the route table. */
  readonly document: () => object;
}
