import type { ErrorCode } from '@carillon/errors';
import type { App } from '@carillon/app-registry';
import { Connection } from '../connection/connection.js';

/**
 * A connection that is not let in, but is upgraded all the same so that a browser can read why. With an app, the
 * quotas of node and app are asked first: they come before this reason in the order of checks.
 */
export class RefusedArrival {
  constructor(
    readonly reason: ErrorCode,
    readonly app: App | null,
  ) {}
}

/** What an upgraded socket carries. */
export type Arrival = Connection | RefusedArrival;
