import type { AppRecord, ChannelNamespace } from '@carillon/config';
import { effectiveLimits, type EffectiveLimits, type GlobalLimits } from './effective-limits.js';

/**
 * An app as the service uses it: its record and what follows from it, computed once. Never changes: a changed record
 * gives a new `App`, an unchanged one keeps the same object however often it is read again. So anything derived from
 * an app (signing keys, compiled filters) may be kept in a `WeakMap` keyed by it.
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
}
