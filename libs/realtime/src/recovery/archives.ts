import type { ReadTurns } from '@carillon/history-reader';
import { streamName, type StoredRecord, type Stream, type StreamAddress } from '@carillon/history-store';
import { frameOf } from '@carillon/history-messages';
import { readMessageV2 } from '@carillon/protocol';
import type { Replay as ReplayStore } from '@carillon/history-positions';
import type { LocalChannel } from '../channels/local-channel.js';
import { keptEvent } from '../durable/sequenced-delivery.js';
import type { StreamReads } from '../durable/stream-reads.js';
import { remembered, type Remembered } from './past.js';
import type { Archive, NotRead, Read } from './replays.js';

type OnTrouble = (what: string, error: unknown) => void;

const notRead = (reason: NotRead['reason'], oldestSerial: number | null = null): NotRead => ({
  reason,
  oldestSerial,
});

/** Archive of the newest events of ephemeral channels, shared by all processes. */
export class HotArchive implements Archive {
  readonly source = 'hot';

  constructor(
    private readonly replay: ReplayStore,
    private readonly onTrouble: OnTrouble,
  ) {}

  async read(channel: LocalChannel, streamId: string, from: number, to: number): Promise<NotRead | Read> {
    const { hub, name, about } = channel;
    const place = { appId: hub.appId, channel: name };
    try {
      const range = await this.replay.range(place, from, about.policy.recovery.maxAgeMs);
      if (range?.streamId !== streamId) return notRead('stream_id_mismatch');
      const found: { one: Remembered; atMs: number }[] = [];
      for (const entry of range.entries) {
        if (entry.serial > to) break;
        const event = keptEvent(place, streamId, entry);
        if (event === null) return notRead('durable_history_payload_projection_failed');
        found.push({ one: remembered(event.fact, entry.atMs), atMs: entry.atMs });
      }
      return { found };
    } catch (error) {
      this.onTrouble('replay of a channel', error);
      return notRead('durable_history_state_unavailable');
    }
  }
}

/** Archive of the streams of durable channels. */
export class ColdArchive implements Archive {
  readonly source = 'cold';

  constructor(
    private readonly reads: StreamReads,
    private readonly onTrouble: OnTrouble,
    /** Schedules the reads of clients; null: reads are not scheduled. */
    private readonly turns: ReadTurns | null,
  ) {}

  async read(
    { hub, name: channel }: LocalChannel,
    streamId: string,
    from: number,
    to: number,
  ): Promise<NotRead | Read> {
    const address: StreamAddress = { appId: hub.appId, channel, kind: 'messages' };
    try {
      const stream = (await this.reads.heads([address])).get(streamName(address));
      if (stream === undefined) return notRead('durable_stream_head_unavailable');
      const { state } = stream.durable;
      if (state === 'reset_required') return notRead('durable_stream_reset_required');
      if (state === 'degraded') return notRead('history_stream_degraded');
      if (stream.streamId !== streamId) return notRead('durable_stream_changed_during_reconnect');
      const { streamKey, generation } = stream;
      const query = { streamKey, generation, fromSerial: from, toSerial: to, limit: to - from + 1 };
      return await this.#inTurn(hub.appId, async () => {
        const records = await this.reads.range(query);
        this.turns?.chargeRecords(records);
        return foundIn(records, stream);
      });
    } catch (error) {
      this.onTrouble('replay of a channel', error);
      return notRead('durable_history_read_failed');
    }
  }

  #inTurn<Value>(appId: string, work: () => Promise<Value>): Promise<Value> {
    return this.turns === null ? work() : this.turns.run(appId, work);
  }
}

function foundIn(records: readonly StoredRecord[], stream: Stream): NotRead | Read {
  const found: { one: Remembered; atMs: number }[] = [];
  for (const record of records) {
    const one = rememberedOf(record, stream);
    if (one === null) return notRead('durable_history_payload_projection_failed');
    found.push({ one, atMs: record.publishedAtMs });
  }
  return { found };
}

/**
 * Null if the record cannot be read. Changes of purged messages are skipped; the purged messages themselves are
 * holes.
 */
function rememberedOf(record: StoredRecord, stream: Stream): Remembered | null {
  const { action, deliverySerial: serial } = record;
  const text = frameOf(record, stream);
  const isHole = action === 'plain' || action === 'create';
  if (text === null) return { streamId: stream.streamId, serial, frames: null, isHole };
  const message = readMessageV2(text, { action, isFromClient: false, mayBeDelta: true });
  return message === null ? null : remembered(message, record.publishedAtMs);
}
