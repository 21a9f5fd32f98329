import type { RollupLimits } from '@carillon/history-ai';
import type { Message, ResumeFailed } from '@carillon/protocol';
import type { Appends, Codec } from '../codec.js';
import type { FlushWheel } from './flush-wheel.js';
import { type AppendMeters, Pace } from './pace.js';
import type { Told } from './told.js';
import { type Text, Wholes } from './wholes.js';

/** What is known of all channels. */
export interface AppendWays {
  /** Whether appends to messages of a channel are held back at all. */
  readonly isRolledUp: (channel: string) => boolean;
  readonly limits: Omit<RollupLimits, 'windowMs'>;
  /** Texts that are kept for one channel. */
  readonly maxWholeBytes: number;
  readonly wheel: FlushWheel;
  readonly nowMs: () => number;
  /** Returns the text of a message as of a delivery serial; null if there is none. */
  readonly text: (
    appId: string,
    channel: string,
    messageSerial: string,
    serial: number,
  ) => Promise<Text | null>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** Whose appends they are, and who gets them. */
export interface PacedChannel {
  readonly appId: string;
  readonly name: string;
  readonly meters: () => AppendMeters;
  /** What says that there is a gap where this message was; null: nobody goes by positions. */
  gapAt(message: Message): ResumeFailed | null;
  /** Tells all subscribers of a pace, and (null) all who have none, whose codecs are meant; returns how many. */
  hand(told: Told, pace: Pace | null, isMeant: (codec: Codec) => boolean): number;
  /** Tells those who are held back, who get everything as it comes: those who want wholes, or the others. */
  hold(told: Told, wholes: boolean): void;
}

/**
 * Brings what is told of one channel to its subscribers, each at the pace that it asked for: as it comes, what belongs
 * together at once, and the whole text of a message instead of its pieces. All of one pace are told the same in the same
 * order; whoever comes to it or leaves it is told the rest in between (`flush`), so that nobody gets part of what was held
 * back.
 */
export class Pacing {
  readonly #paces = new Map<string, Pace>();
  #wholes: Wholes | null = null;

  constructor(
    private readonly channel: PacedChannel,
    private readonly ways: AppendWays,
  ) {}

  /** Null: as it comes, in pieces, which needs nothing of this. */
  static wanted(appends: Appends | undefined, channel: string, ways: AppendWays | null): Appends | null {
    if (appends === undefined || ways === null) return null;
    const windowMs = ways.isRolledUp(channel) ? appends.windowMs : 0;
    return windowMs === 0 && !appends.wholes ? null : { windowMs, wholes: appends.wholes };
  }

  /** The pace of those who want appends like this; null: they get them as they come. */
  paceOf({ appends }: Codec): Pace | null {
    const wanted = Pacing.wanted(appends, this.channel.name, this.ways);
    return wanted === null ? null : this.#pace(wanted);
  }

  #pace(appends: Appends): Pace {
    const key = `${appends.windowMs} ${appends.wholes}`;
    const found = this.#paces.get(key);
    if (found !== undefined) return found;
    const { wheel, nowMs, limits } = this.ways;
    const { appId, name, meters } = this.channel;
    const pace = new Pace({
      appends,
      limits: { ...limits, windowMs: appends.windowMs },
      wheel,
      nowMs,
      subject: `${appId}/${name}`,
      meters,
      tell: (told, to) => this.#hand(told, to),
    });
    this.#paces.set(key, pace);
    if (appends.wholes) this.#wholes ??= this.#newWholes();
    return pace;
  }

  /** Returns how many are told at once. */
  take(told: Told): number {
    let receivers = this.#hand(told, null);
    this.channel.hold(told, false);
    for (const pace of this.#paces.values()) if (!pace.appends.wholes) receivers += pace.take(told);
    if (this.#wholes === null) this.channel.hold(told, true);
    else this.#wholes.take(told);
    return receivers;
  }

  /** Somebody has seen everything up to this serial in another way. */
  seen(serial: number): void {
    for (const pace of this.#paces.values()) pace.seen(serial);
  }

  /** Nothing is held back any more. */
  flush(): void {
    for (const pace of this.#paces.values()) pace.flush();
  }

  /** It is let go: nothing is held back or waited for any more. */
  end(): void {
    this.#wholes?.giveUp();
    this.flush();
  }

  /** Paces that are new by this are told in their turn. */
  #hand(told: Told, pace: Pace | null): number {
    return this.channel.hand(told, pace, (codec) => this.paceOf(codec) === pace);
  }

  #newWholes(): Wholes {
    const { appId, name } = this.channel;
    const { text, maxWholeBytes: maxBytes, onTrouble } = this.ways;
    return new Wholes({
      read: (messageSerial, serial) => text(appId, name, messageSerial, serial),
      tell: (told) => {
        this.channel.hold(told, true);
        for (const pace of this.#paces.values()) if (pace.appends.wholes) pace.take(told);
      },
      gapAt: (message) => this.channel.gapAt(message),
      maxBytes,
      onTrouble,
    });
  }
}
