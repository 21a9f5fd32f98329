import type { Cache } from '@carillon/cache';
import { cacheKeys } from '@carillon/contracts';
import type { Message } from '@carillon/protocol';
import type { LastEvent, LastEvents } from './port.js';
import { readRecord, writeRecord } from './stored-record.js';

/** Others may replace the event between a look and a change of this process. */
const MAX_TRIES = 16;

/** Dependencies of `StoredLastEvents`. */
export interface StoredLastEventsParts {
  readonly cache: Pick<Cache, 'compareAndRemove' | 'compareAndSwap' | 'entry' | 'set' | 'setIfAbsent'>;
  /** Lifetime of a stored event; renewed by each publish. */
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
    // Everything is written with a TTL; an entry that lost it is treated as new.
    return { ...kept, ttlMs: entry.ttlMs ?? ttlMs };
  }

  /** Deletes the event if the condition holds, unless a newer one replaced it. Rejects if the store is unreachable. */
  async forgetIf(
    appId: string,
    channel: string,
    isOver: (event: Message) => Promise<boolean>,
  ): Promise<void> {
    const { cache, maxRecordBytes } = this.parts;
    const name = cacheKeys.lastEvent(appId, channel);
    const found = await cache.entry(name);
    if (found === null) return;
    const kept = readRecord(found.value, maxRecordBytes);
    if (kept === null || (await isOver(kept))) await cache.compareAndRemove(name, found.value);
  }

  /** Replaces the channel's last event. Rejects when the store cannot be reached. */
  keep(appId: string, event: Message): Promise<void> {
    const { cache, ttlMs } = this.parts;
    return cache.set(cacheKeys.lastEvent(appId, event.channel), writeRecord(event), ttlMs);
  }

  /** Like `keep`, unless a later event of the same stream is already stored. */
  async keepPositioned(appId: string, event: Message): Promise<void> {
    const { cache, ttlMs, maxRecordBytes } = this.parts;
    const name = cacheKeys.lastEvent(appId, event.channel);
    const record = writeRecord(event);
    for (let tries = 0; tries < MAX_TRIES; tries += 1) {
      const found = (await cache.entry(name))?.value ?? null;
      if (found !== null && isLater(readRecord(found, maxRecordBytes), event)) return;
      const isKept =
        found === null
          ? await cache.setIfAbsent(name, record, ttlMs)
          : await cache.compareAndSwap(name, found, record, ttlMs);
      if (isKept) return;
    }
  }
}

const isLater = (one: Message | null, other: Message): boolean =>
  one !== null && one.streamId === other.streamId && (one.serial ?? 0) > (other.serial ?? 0);
