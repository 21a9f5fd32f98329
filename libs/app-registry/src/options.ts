import type { AppRecord } from '@carillon/config';
import type { GlobalLimits } from './effective-limits.js';

/** `app_manager.cache`, as in the configuration; all times in seconds. */
export interface AppCacheOptions {
  /** False queries the store at every lookup and caches nothing. */
  readonly enabled: boolean;
  /** 0 never expires. */
  readonly ttl: number;
  /** The seconds for which an unknown app is cached as missing; 0 disables it. */
  readonly negative_ttl: number;
  /** The seconds between polls of the store for changes by other programs; 0 disables polling. */
  readonly refresh_interval: number;
  /** The seconds beyond `ttl` for which a known app may be served while the store fails; 0 disables it. */
  readonly stale_if_error: number;
}

/** The registry settings of the operator. */
export interface AppRegistryOptions {
  readonly inlineApps: readonly AppRecord[];
  /** False leaves the store as it is, which for the memory driver means empty. */
  readonly registerInlineApps: boolean;
  readonly cache: AppCacheOptions;
  readonly globals: GlobalLimits;
  /** Upper bound of an index entry's age, regardless of the ttl: 5 where no control messages are received. */
  readonly maxIndexAgeSeconds?: number;
  /** Apps held ready in this process. Default 10000. */
  readonly indexCapacity?: number;
  /** Longest wait for one answer of the store. Default 5000. */
  readonly storeTimeoutMs?: number;
}

/** A line for the operator; fields never hold a credential. */
export type RegistryLog = (
  level: 'warn' | 'error',
  message: string,
  fields: Readonly<Record<string, unknown>>,
) => void;

/** Notifies the other nodes that an app changed (`app_changed {app_id}`). */
export type AnnounceAppChange = (appId: string) => Promise<void>;

/** A way to the other nodes. */
export interface AppChangeTeller {
  /** Rejects if they could not be notified; undefined: there are no other nodes. */
  tellAppChanged(appId: string): Promise<void> | undefined;
}
