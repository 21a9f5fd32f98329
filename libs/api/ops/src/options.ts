import { type AppLookup, type Statistics, token } from '@carillon/runtime';
import type { ModuleMetadata } from '@nestjs/common';
import type { Demo } from './welcome/demo.js';

/** The routes this room can serve; `stats` is `/stats` and `/operator/stats`. */
export type OpsRoute = 'live' | 'accept-traffic' | 'up' | 'up-app' | 'usage' | 'stats' | 'welcome';

export interface OpsApiOptions {
  /** Routes to mount: all on a main listener; `live`, `up` and `usage` on the ops listener of a worker. */
  readonly routes: readonly OpsRoute[];
  /** `http_api.usage_enabled`: off answers 404 on `/usage`, `/stats` and `/operator/stats`. */
  readonly usage_enabled: boolean;
  /** Bounds the app lookup of `/up/{appId}`. */
  readonly health_check_timeout_ms: number;
  readonly server_role: 'default' | 'api';
  /** Content of the start page. Absent or null: `/` is not found. */
  readonly demo?: Demo | null;
  /** Modules that export `APP_LOOKUP` (needed by `up-app`), `OCCUPANCY_SOURCE` or `HISTORY_HEALTH_SOURCE`. */
  readonly imports?: ModuleMetadata['imports'];
}

export const APP_LOOKUP = token<AppLookup>('app lookup');
export const OPS_API_OPTIONS = token<OpsApiOptions>('ops api options');
export const STATISTICS = token<Statistics>('statistics');
