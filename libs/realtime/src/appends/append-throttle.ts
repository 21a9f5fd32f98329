import type { RollupLimits } from '@carillon/history-ai';
import type { Message, ResumeFailed } from '@carillon/protocol';
import type { Appends, Codec } from '../codec.js';
import type { FlushWheel } from './flush-wheel.js';
import { type AppendMeters, AppendPace } from './append-pace.js';
import type { Told } from './told.js';
import { type Text, FullTextExpander } from './full-text-expander.js';

/** Append delivery settings and dependencies shared by all channels. */
export interface AppendWays {
  /** Whether appends to messages of a channel are rolled up. */
  readonly isRolledUp: (channel: string) => boolean;
  readonly limits: Omit<RollupLimits, 'windowMs'>;
  /** Limit of cached texts per channel, in bytes. */
  readonly maxWholeBytes: number;
  readonly wheel: FlushWheel;
  readonly nowMs: () => number;
  /** Returns the text of a message as of a delivery serial; null if the message has none. */
  readonly text: (
    appId: string,
    channel: string,
    messageSerial: string,
    serial: number,
  ) => Promise<Text | null>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/** The channel whose appends are paced, and its subscribers. */
export interface PacedChannel {
  readonly appId: string;
  readonly name: string;
  readonly meters: () => AppendMeters;
  /** Returns the fact that reports a gap at this message; null if no subscriber uses positions. */
  gapAt(message: Message): ResumeFailed | null;
  /**
   * Delivers to all subscribers of a pace whose codecs match, or with null to all unpaced ones; returns the number of
   * subscribers.
   */
  hand(told: Told, pace: AppendPace | null, isMeant: (codec: Codec) => boolean): number;
  /**
   * Holds back a fact for gated subscribers that receive appends unpaced: those that want whole texts, or the others.
   */
  hold(told: Told, wholes: boolean): void;
}

/**
 * Delivers the facts of one channel to its subscribers at the pace each requested: unpaced, rolled up, or as the
 * whole text of a message instead of its fragments. All subscribers of one pace receive the same frames in the same
 * order. A pace is flushed before a subscriber joins or leaves it (`flush`), so that no subscriber receives a partial
 * roll-up.
 */
export class AppendThrottle {
  readonly #paces = new Map<string, AppendPace>();
  #wholes: FullTextExpander | null = null;

  constructor(
    private readonly channel: PacedChannel,
    private readonly ways: AppendWays,
  ) {}

  /** Returns the effective append options; null if appends are delivered unpaced, as fragments. */
  static wanted(appends: Appends | undefined, channel: string, ways: AppendWays | null): Appends | null {
    if (appends === undefined || ways === null) return null;
    const windowMs = ways.isRolledUp(channel) ? appends.windowMs : 0;
    return windowMs === 0 && !appends.wholes ? null : { windowMs, wholes: appends.wholes };
  }

  /** Returns the pace for these append options; null if appends are delivered unpaced. */
  paceOf({ appends }: Codec): AppendPace | null {
    const wanted = AppendThrottle.wanted(appends, this.channel.name, this.ways);
    return wanted === null ? null : this.#pace(wanted);
  }

  #pace(appends: Appends): AppendPace {
    const key = `${appends.windowMs} ${appends.wholes}`;
    const found = this.#paces.get(key);
    if (found !== undefined) return found;
    const { wheel, nowMs, limits } = this.ways;
    const { appId, name, meters } = this.channel;
    const pace = new AppendPace({
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

  /** Returns the number of subscribers notified immediately. */
  take(told: Told): number {
    let receivers = this.#hand(told, null);
    this.channel.hold(told, false);
    for (const pace of this.#paces.values()) if (!pace.appends.wholes) receivers += pace.take(told);
    if (this.#wholes === null) this.channel.hold(told, true);
    else this.#wholes.take(told);
    return receivers;
  }

  /** A subscriber has received all messages up to this serial by other means. */
  seen(serial: number): void {
    for (const pace of this.#paces.values()) pace.seen(serial);
  }

  /** Delivers everything held back. */
  flush(): void {
    for (const pace of this.#paces.values()) pace.flush();
  }

  /** Ends the pacing: flushes and abandons pending reads. */
  end(): void {
    this.#wholes?.giveUp();
    this.flush();
  }

  /** Paces created during the iteration are visited too. */
  #hand(told: Told, pace: AppendPace | null): number {
    return this.channel.hand(told, pace, (codec) => this.paceOf(codec) === pace);
  }

  #newWholes(): FullTextExpander {
    const { appId, name } = this.channel;
    const { text, maxWholeBytes: maxBytes, onTrouble } = this.ways;
    return new FullTextExpander({
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
