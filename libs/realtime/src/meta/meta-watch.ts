import { metaBase, metaChannel } from '@carillon/channels';
import type { Broker } from '@carillon/broker';
import type { Announcements } from '../state/announcements.js';

/** Interval at which watched channels are re-announced, and after which they expire without it. */
const TELL_MS = 5000;
const FORGET_MS = 15_000;
/** Channels per announcement. */
const BATCH = 1000;
/** Limit of channels remembered for all processes. Beyond it, those announced last are not watched. */
const MAX_CHANNELS = 100_000;

/** Dependencies of `MetaWatch`. */
export interface MetaWatchParts {
  readonly broker: Pick<Broker, 'ask'>;
  readonly announcements: Pick<Announcements, 'announce'>;
  /** Whether there are no other processes. */
  readonly isAlone: boolean;
  readonly onTrouble: (what: string, error: unknown) => void;
  readonly nowMs?: () => number;
}

type AnnouncedFact = Parameters<Announcements['announce']>[0]['fact'];

/**
 * The channels whose meta channels have subscribers in any process. Every process counts and reports events of those;
 * other channels cost nothing. A process with subscribers of meta channels announces them to the others before it
 * confirms the subscription, and periodically, so that processes that start later know them too.
 */
export class MetaWatch {
  /** Watched by subscribers of this process, by app. */
  readonly #own = new Map<string, Set<string>>();
  /** Channels watched in any process, with the expiry time. */
  readonly #watched = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  /** Called when a channel begins to be watched. */
  onBegin: (appId: string, channel: string) => void = () => {};

  constructor(private readonly parts: MetaWatchParts) {}

  /**
   * A subscription to a channel begins in this process; relevant if it is a meta channel. Undefined if all required
   * processes know already.
   */
  begin(appId: string, name: string): Promise<void> | undefined {
    const base = metaBase(name);
    if (base === null) return undefined;
    const own = this.#own.get(appId) ?? new Set<string>();
    this.#own.set(appId, own.add(base));
    this.told(appId, [base]);
    this.#timer ??= setInterval(() => void this.#tellAgain(), TELL_MS).unref();
    return this.parts.isAlone ? undefined : this.#tell(appId, [base]);
  }

  /** The last subscriber in this process left. */
  end(appId: string, name: string): void {
    const base = metaBase(name);
    const own = base === null ? undefined : this.#own.get(appId);
    if (base === null || own?.delete(base) !== true) return;
    if (own.size === 0) this.#own.delete(appId);
    if (this.parts.isAlone) this.#watched.delete(keyOf(appId, base));
    if (this.#own.size === 0) this.stop();
  }

  /** A process, possibly this one, announced the channels watched there. */
  told(appId: string, channels: readonly string[]): void {
    const untilMs = this.#now() + FORGET_MS;
    for (const channel of channels) {
      const key = keyOf(appId, channel);
      const isNew = !this.has(appId, channel);
      if (isNew && this.#watched.size >= MAX_CHANNELS) this.#forget();
      if (isNew && this.#watched.size >= MAX_CHANNELS) continue;
      this.#watched.set(key, untilMs);
      if (isNew) this.onBegin(appId, channel);
    }
  }

  has(appId: string, channel: string): boolean {
    if (this.#watched.size === 0) return false;
    const untilMs = this.#watched.get(keyOf(appId, channel));
    if (untilMs === undefined) return false;
    return untilMs > this.#now() || this.#own.get(appId)?.has(channel) === true;
  }

  /** Sends a fact to the watchers of the channel, if there are any. */
  announce(appId: string, channel: string, fact: AnnouncedFact): void {
    if (!this.has(appId, channel)) return;
    this.parts.announcements.announce({ appId, channel: metaChannel(channel), fact, exceptSocketId: null });
  }

  /** Stops re-announcing. */
  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  async #tellAgain(): Promise<void> {
    for (const [appId, channels] of this.#own) {
      const all = [...channels];
      this.told(appId, all);
      if (this.parts.isAlone) continue;
      for (let first = 0; first < all.length; first += BATCH) {
        await this.#tell(appId, all.slice(first, first + BATCH));
      }
    }
  }

  /** Processes that did not respond receive it with the next announcement. Never rejects. */
  async #tell(appId: string, channels: readonly string[]): Promise<void> {
    try {
      await this.parts.broker.ask('meta_watched', appId, { channels });
    } catch (error) {
      this.parts.onTrouble('meta channels', error);
    }
  }

  #forget(): void {
    const nowMs = this.#now();
    for (const [key, untilMs] of this.#watched) if (untilMs <= nowMs) this.#watched.delete(key);
  }

  #now(): number {
    return this.parts.nowMs?.() ?? performance.now();
  }
}

const keyOf = (appId: string, channel: string): string => `${appId} ${channel}`;
