import {
  contiguous,
  judgePosition,
  recoveryFailure,
  type RecoveryFailure,
  type RecoveryReason,
  type ResumePosition,
} from '@carillon/protocol';
import type { LocalChannel } from '../channels/local-channel.js';
import type { Standing } from '../durable/followed.js';
import type { Past, Remembered } from './past.js';
import type { Positions } from './positions.js';

/** Why a required part of a stream could not be read, with what is known of the stream. */
export interface NotRead {
  readonly reason: RecoveryReason;
  readonly oldestSerial: number | null;
}

/** Records read from a stream, in order, with their publication times. */
export interface Read {
  readonly found: readonly { readonly one: Remembered; readonly atMs: number }[];
}

/** Reads records that are no longer in memory. */
export interface Archive {
  /** `cold`: in the durable store. */
  readonly source: 'cold' | 'hot';
  /** Reads the available records between two serials of the stream. Never rejects. */
  read(channel: LocalChannel, streamId: string, from: number, to: number): Promise<NotRead | Read>;
}

/** All messages missed of a channel, or why they are unavailable. Never a part of them. */
export type Replay =
  | {
      readonly kind: 'replay';
      readonly source: 'cold' | 'hot';
      /** In order. */
      readonly missed: readonly Remembered[];
      /** Position at which it ends; newer messages are delivered live. */
      readonly streamId: string;
      readonly serial: number;
    }
  | { readonly kind: 'failed'; readonly failure: RecoveryFailure };

export interface ReplaysParts {
  readonly positions: Positions;
  readonly past: Past;
  readonly archiveOf: (channel: LocalChannel) => Archive | null;
  readonly onTrouble: (what: string, error: unknown) => void;
}

interface Wanted {
  readonly streamId: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Finds missed messages of subscribed channels, for any protocol adapter. The caller holds live events back
 * meanwhile: a replay ends at the position of the channel at that time.
 */
export class Replays {
  /** Pending reads by channel; concurrent requests share them. */
  readonly #reading = new Map<string, Promise<NotRead | Read>>();

  constructor(private readonly parts: ReplaysParts) {}

  /** Never rejects. `window` bounds the missed messages; absent: the size of the channel's buffer. */
  async since(
    channel: LocalChannel,
    position: ResumePosition,
    window = channel.about.policy.recovery.maxCount,
  ): Promise<Replay> {
    const failed = (
      reason: RecoveryReason,
      head: Standing | null,
      oldestSerial: number | null = null,
    ): Replay => ({
      kind: 'failed',
      failure: recoveryFailure(
        channel.name,
        reason,
        position,
        head === null ? null : { ...head, oldestSerial },
      ),
    });
    const standing = await this.#standing(channel, position);
    if (standing === 'unreadable') return failed('durable_history_state_unavailable', null);
    if (standing === null) return failed('durable_stream_head_unavailable', null);
    const verdict = judgePosition(channel.name, position, { ...standing, oldestSerial: null }, window);
    if (verdict.kind === 'failed') return verdict;
    const { streamId, from, to } = verdict;
    const whole = { kind: 'replay', streamId, serial: to } as const;
    if (from > to) return { ...whole, source: 'hot', missed: [] };
    const hot = this.#remembered(channel, verdict);
    if (hot !== null)
      return isHoled(hot) ? failed('purged_range', standing) : { ...whole, source: 'hot', missed: hot };
    const archive = this.parts.archiveOf(channel);
    if (archive?.source === 'cold' && position.streamId === null)
      return failed('legacy_serial_only_position_cannot_use_cold_recovery', standing);
    if (archive === null) return failed('hot_replay_expired_and_durable_history_disabled', standing);
    const read = await this.#read(channel, archive, verdict);
    if ('reason' in read) return failed(read.reason, standing, read.oldestSerial);
    const missed = contiguous(
      verdict,
      read.found.map(({ one }) => one),
      this.#since(channel, verdict),
    );
    if (missed === null)
      return failed(holeReason(archive, verdict, read), standing, read.found[0]?.one.serial ?? null);
    if (isHoled(missed)) return failed('purged_range', standing);
    return { ...whole, source: archive.source, missed };
  }

  /**
   * Returns the serial up to which a subscriber held back from the same step on has received everything, or will
   * receive it first (`PendingFrames.catchUp`); null if it is unknown.
   */
  here(channel: LocalChannel): Standing | null {
    // Held-back facts of it would be delivered later.
    channel.flush();
    return this.parts.positions.here(channel);
  }

  /**
   * Returns the serial up to which the channel was delivered in this process, regardless of held-back facts; null if
   * it is unknown.
   */
  delivered(channel: LocalChannel): Standing | null {
    return this.parts.positions.here(channel);
  }

  /**
   * Returns the local position of a channel; null if it has no stream or the position is unavailable. Never rejects.
   */
  async standing(channel: LocalChannel): Promise<Standing | null> {
    const standing = await this.#standing(channel, { streamId: null, serial: 0, lastMessageId: null });
    return standing === 'unreadable' ? null : standing;
  }

  /** Returns the local position; reads the head again if the given position does not fit it. */
  async #standing(
    channel: LocalChannel,
    { streamId, serial }: ResumePosition,
  ): Promise<Standing | 'unreadable' | null> {
    try {
      return await this.parts.positions.standing(channel, {
        isKnown: (known) => (streamId === null || streamId === known.streamId) && serial <= known.serial,
        make: true,
      });
    } catch (error) {
      this.parts.onTrouble('where a channel stands', error);
      return 'unreadable';
    }
  }

  #since({ hub, name }: LocalChannel, { from }: Wanted): readonly Remembered[] {
    return this.parts.past.since(hub.appId, name, from);
  }

  #remembered(channel: LocalChannel, wanted: Wanted): readonly Remembered[] | null {
    return contiguous(wanted, this.#since(channel, wanted));
  }

  /** Reads at least the range that is buffered in memory, once for all concurrent requests; the result is buffered. */
  async #read(channel: LocalChannel, archive: Archive, wanted: Wanted): Promise<NotRead | Read> {
    const { hub, name, about } = channel;
    const key = `${hub.appId}\0${name}`;
    const under = this.#reading.get(key);
    if (under !== undefined) {
      const read = await under;
      const isEnough = !('reason' in read) && this.#isIn(channel, wanted, read);
      if (isEnough) return read;
    }
    const least = wanted.to - about.policy.recovery.maxCount + 1;
    const from = Math.max(1, Math.min(wanted.from, least));
    const { past } = this.parts;
    const { erasures } = past;
    const reading = archive.read(channel, wanted.streamId, from, wanted.to);
    this.#reading.set(key, reading);
    const read = await reading;
    if (this.#reading.get(key) === reading) this.#reading.delete(key);
    // It may have been read before messages of it were purged.
    if (!('reason' in read) && past.erasures === erasures) past.fill(hub.appId, name, read.found);
    return read;
  }

  #isIn(channel: LocalChannel, wanted: Wanted, read: Read): boolean {
    const found = read.found.map(({ one }) => one);
    return contiguous(wanted, found, this.#since(channel, wanted)) !== null;
  }
}

const isHoled = (missed: readonly Remembered[]): boolean => missed.some(({ isHole }) => isHole);

/** Returns why the result is incomplete. */
function holeReason({ source }: Archive, { from }: Wanted, { found }: Read): RecoveryReason {
  if (source === 'hot') return 'hot_replay_expired_and_durable_history_disabled';
  const oldest = found[0]?.one.serial;
  if (oldest === undefined) return 'durable_history_empty_after_prior_writes';
  return oldest > from
    ? 'retained_history_floor_is_ahead_of_requested_serial'
    : 'durable_history_is_not_contiguous';
}
