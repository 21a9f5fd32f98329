import { CompatError, type RuntimeCounters } from '@carillon/ably-core';
import type { HistoryReader } from '@carillon/history-reader';
import { Frames, type Replays, type Showing } from '@carillon/realtime';
import type { AttachRequest } from './attach-request.js';
import { continuityLost, foreign, notRetained, type Position, readPosition, unreadable } from './position.js';
import type { Rewind } from './rewind.js';
import { isOfStream } from './sse/event-id.js';
import type { Summaries } from './summaries.js';

/** The past messages that a client receives on attach, and the channel's position. */
export interface Missed {
  /** Null: the channel has no stream, or its position is unknown. */
  readonly position: Position | null;
  /** Nothing but these was missed. */
  readonly isProven: boolean;
  /** The oldest first. */
  readonly past: readonly Frames[];
  /** The reason it cannot resume from its position; null: it can, or did not ask to. */
  readonly error: CompatError | null;
}

/** The result for a client whose missed messages are lost. */
export const lostAt = ({ attach }: Pick<Showing, 'attach'>): Missed => ({
  position: attach?.standing ?? null,
  isProven: false,
  past: [],
  error: notRetained(),
});

/** The limit of missed messages. */
const MAX_MISSED = 4096;
/** The error code of a position in a stream that is no longer the channel's. */
const ANOTHER_STREAM = 90_005;

/**
 * Returns the later of the position sent by the client and the one delivered on its connection, whose messages may be
 * in flight.
 */
const further = (said: Position | null, told: Position | null): Position | null =>
  said !== null && told?.streamId === said.streamId && told.serial > said.serial ? told : said;

/** Finds missed messages of a channel: in memory, then in the history store. */
export class Continuity {
  constructor(
    private readonly replays: Pick<Replays, 'since'>,
    /** Reads histories; null: this process has no access to them. */
    private readonly reader: Pick<HistoryReader, 'past'> | null,
    private readonly maxPageSize: number,
    private readonly counters: Pick<RuntimeCounters, 'add'>,
    private readonly summaries: Pick<Summaries, 'add'>,
  ) {}

  /**
   * `told`: the position up to which messages were delivered live on this connection; null: none were.
   *
   * @throws CompatError if nothing can be read of the channel, or rejects with it.
   */
  async since(
    showing: Showing,
    { channelSerial, rewind }: AttachRequest,
    told: Position | null = null,
  ): Promise<Missed> {
    const { attach, channel } = showing;
    if (rewind !== null && !channel.about.policy.history.rewindEnabled)
      throw new CompatError(40_000, 'rewind is not enabled on this channel');
    if (attach === undefined) {
      this.counters.add('degraded_state');
      if (channelSerial === null)
        throw new CompatError(50_003, 'it is not known where the channel stands', 500);
      return { position: null, isProven: false, past: [], error: unreadable() };
    }
    const position = attach?.standing ?? null;
    if (channelSerial !== null)
      return this.#after(showing, position, further(readPosition(channelSerial), told));
    const attachSerial = attach?.attachSerial ?? null;
    if (rewind === null || attachSerial === null) return { position, isProven: false, past: [], error: null };
    return this.#rewound(showing, position, { rewind, attachSerial });
  }

  async #after(showing: Showing, current: Position | null, said: Position | null): Promise<Missed> {
    // An event stream knows its stream by a digest.
    const isDigest = current !== null && said !== null && isOfStream(said, current.streamId);
    const from = isDigest ? { ...current, serial: said.serial } : said;
    const lost = (error: CompatError): Missed => {
      this.counters.add('continuity_lost');
      if (error.code === ANOTHER_STREAM) this.counters.add('reset_required');
      return { position: current, isProven: false, past: [], error };
    };
    if (current === null || from === null) return lost(foreign());
    const asked = { ...from, lastMessageId: null };
    this.counters.add('replay_source');
    const replay = await this.replays.since(showing.channel, asked, MAX_MISSED);
    if (replay.kind === 'failed') return lost(continuityLost(replay.failure.reason));
    const { streamId, serial, missed } = replay;
    showing.covered({ streamId, serial });
    const past = missed.flatMap(({ frames }) => frames ?? []);
    return { position: { streamId, serial }, isProven: true, past, error: null };
  }

  async #rewound(
    showing: Showing,
    position: Position | null,
    { rewind, attachSerial }: { readonly rewind: Rewind; readonly attachSerial: number },
  ): Promise<Missed> {
    const { channel } = showing;
    const { count, sinceMs } = rewind;
    const bounds = {
      start_serial: null,
      end_serial: attachSerial,
      start_time_ms: sinceMs === null ? null : Math.max(0, Date.now() - sinceMs),
      end_time_ms: null,
    };
    const limit = Math.min(count, this.maxPageSize);
    const query = { limit, direction: 'newest_first', cursor: null, bounds } as const;
    try {
      if (this.reader === null) throw unreadable();
      this.counters.add('recovery_backend_calls');
      const { messages } = await this.reader.past(channel.hub.appId, channel.name, query);
      // As histories show them: by the id that it was made under.
      const past = messages.map(
        ({ message, createId, publishedAtMs }) =>
          new Frames({ ...message, messageId: createId }, publishedAtMs),
      );
      await this.summaries.add(showing, past);
      return { position, isProven: false, past: past.reverse(), error: null };
    } catch {
      this.counters.add('backend_failure');
      return { position, isProven: false, past: [], error: unreadable() };
    }
  }
}
