import type { Cache } from '@carillon/cache';
import { cacheKeys } from '@carillon/contract';
import type { LastEvent, LastEvents } from './port.js';
import { readRecord, writeRecord, type KeptEvent } from './stored-record.js';

/** What `StoredLastEvents` stand on. */
export interface StoredLastEventsParts {
  readonly cache: Pick<Cache, 'entry' | 'set'>;
  /** How long an event is kept; each publish starts it anew. */
  readonly ttlMs: number;
  /** A larger record is not read: nothing that is published here can be that large. */
  readonly maxRecordBytes: number;
}

/** The last events of cache channels in the shared cache. */
export class StoredLastEvents implements LastEvents {
  constructor(private readonly parts: StoredLastEventsParts) {}

  async read(appId: string, channel: string): Promise<LastEvent | null> {
    const { cache, ttlMs, maxRecordBytes } = this.parts;
    const entry = await cache.entry(cacheKeys.lastEvent(appId, channel));
    if (entry === null) return null;
    const kept = readRecord(entry.value, maxRecordBytes);
    if (kept === null || kept.channel !== channel) return null;
    // Everything is written with a ttl; what has lost it is treated as new.
    return { ...kept, ttlMs: entry.ttlMs ?? ttlMs };
  }

  /** Replaces the channel's last event. Rejects when the store cannot be reached. */
  keep(appId: string, event: KeptEvent): Promise<void> {
    const { cache, ttlMs } = this.parts;
    return cache.set(cacheKeys.lastEvent(appId, event.channel), writeRecord(event), ttlMs);
  }
}
