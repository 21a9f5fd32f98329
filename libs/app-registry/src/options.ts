import type { AppRecord } from '@carillon/config';
import type { GlobalLimits } from './effective-limits.js';

/** `app_manager.cache`, as in the configuration; all times in seconds. */
export interface AppCacheOptions {
  /** False asks the store at every lookup and remembers nothing. */
  readonly enabled: boolean;
  /** 0 never expires. */
  readonly ttl: number;
  /** How long an unknown app is remembered as such; 0 is off. */
  readonly negative_ttl: number;
  /** How often the store is asked what others changed; 0 is off. */
  readonly refresh_interval: number;
  /** How long beyond `ttl` a known app may be served while the store fails; 0 is off. */
  readonly stale_if_error: number;
}

/** What the operator decides about the registry. */
export interface AppRegistryOptions {
  readonly inlineApps: readonly AppRecord[];
  /** False leaves the store as it is, which for the memory driver means empty. */
  readonly registerInlineApps: boolean;
  readonly cache: AppCacheOptions;
  readonly globals: GlobalLimits;
  /** Upper bound of an index entry's age, whatever the ttl: 5 where no control messages are heard. */
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

/** Tells the other nodes that an app changed (`app_changed {app_id}`). */
export type AnnounceAppChange = (appId: string) => Promise<void>;

/** A way to the other nodes. */
export interface AppChangeTeller {
  /** Rejects when they could not be told; undefined: there are none. */
  tellAppChanged(appId: string): Promise<void> | undefined;
}
