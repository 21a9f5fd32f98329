import type { AppRecord, ChannelNamespace } from '@carillon/config';
import { effectiveLimits, type EffectiveLimits, type GlobalLimits } from './effective-limits.js';

/** The credentials of an app, for signatures. */
export interface AppCredentials {
  readonly appId: string;
  readonly key: string;
  readonly secret: string;
  /** The secret before the last rotation; checked at use, since it expires. */
  readonly previous: { readonly secret: string; readonly expiresAtMs: number } | null;
}

/**
 * An app as used by the service: its record and the values derived from it, computed once. Immutable: a changed
 * record results in a new `App`, an unchanged one keeps the same object across reads. Derived data (signing keys,
 * compiled filters) can therefore be cached in a `WeakMap` keyed by it.
 */
export class App {
  readonly id: string;
  readonly key: string;
  readonly enabled: boolean;
  readonly record: AppRecord;
  readonly limits: EffectiveLimits;
  readonly namespaces: ReadonlyMap<string, ChannelNamespace>;

  constructor(record: AppRecord, globals: GlobalLimits) {
    this.id = record.id;
    this.key = record.key;
    this.enabled = record.enabled;
    this.record = record;
    this.limits = effectiveLimits(record, globals);
    this.namespaces = new Map(record.policy.channels.channel_namespaces.map((one) => [one.name, one]));
    Object.freeze(this);
  }

  get credentials(): AppCredentials {
    const { secret, previous_secret: previous, previous_secret_expires_at_ms: expiresAtMs } = this.record;
    return {
      appId: this.id,
      key: this.key,
      secret: secret.reveal(),
      previous: previous === null || expiresAtMs === null ? null : { secret: previous.reveal(), expiresAtMs },
    };
  }
}
