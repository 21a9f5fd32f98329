import { streamName, type StreamAddress } from '@carillon/history-store';
import { frameOf } from '@carillon/history-messages';
import { type Message, readMessageV2 } from '@carillon/protocol';
import type { LastEvents } from '@carillon/history-publish';
import type { LocalChannel } from '../channels/local-channel.js';
import type { StreamReads } from '../durable/stream-reads.js';
import { type Positions, within } from '../recovery/positions.js';

/** Time a subscriber waits for a newer event, which seldom exists. */
const WITHIN_MS = 1000;

export interface NewestEventsParts {
  readonly lastEvents: LastEvents;
  readonly positions: Pick<Positions, 'standing'>;
  /** Null: this process cannot read streams. */
  readonly reads: StreamReads | null;
  /** Lifetime of the last event. */
  readonly lifeMs: number;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * Last events of cache channels. The cached copy of a durable channel is written after the commit, and may be lost or
 * never written: if the stream has advanced since, the newer event is read from there.
 */
export class NewestEvents {
  constructor(private readonly parts: NewestEventsParts) {}

  /** Null if there is none, or if the store cannot be read in time. Never rejects. */
  async read(channel: LocalChannel): Promise<Message | null> {
    const { lastEvents, reads, onTrouble } = this.parts;
    const { hub, name, about } = channel;
    const kept = await lastEvents.read(hub.appId, name).catch((error: unknown) => {
      onTrouble('last event', error);
      return null;
    });
    if (reads === null || !about.policy.history.enabled) return kept;
    const newer = within(WITHIN_MS, this.#newer(channel, kept, reads));
    return newer.catch((error: unknown) => {
      onTrouble('a newer last event', error);
      return kept;
    });
  }

  async #newer(channel: LocalChannel, kept: Message | null, reads: StreamReads): Promise<Message | null> {
    const standing = await this.parts.positions.standing(channel, { isKnown: () => true, make: false });
    if (standing === null) return kept;
    const known = kept?.streamId === standing.streamId ? (kept.serial ?? 0) : 0;
    if (known >= standing.serial) return kept;
    const address: StreamAddress = { appId: channel.hub.appId, channel: channel.name, kind: 'messages' };
    const stream = (await reads.heads([address])).get(streamName(address));
    if (stream?.streamId !== standing.streamId || stream.lastCacheSerial <= known) return kept;
    const { streamKey, generation, lastCacheSerial: serial } = stream;
    const query = { streamKey, generation, fromSerial: serial, toSerial: serial, limit: 1 };
    const [record] = await reads.range(query);
    const text = record === undefined ? null : frameOf(record, stream);
    // Purged and expired messages are not shown, nor the versions they replaced.
    if (record === undefined || text === null || record.publishedAtMs + this.parts.lifeMs <= Date.now())
      return null;
    return readMessageV2(text, { action: record.action, isFromClient: false, mayBeDelta: true });
  }
}
