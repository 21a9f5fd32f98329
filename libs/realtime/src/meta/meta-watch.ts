import { metaBase, metaChannel } from '@carillon/channels';
import type { Broker } from '@carillon/broker';
import type { Announcements } from '../state/announcements.js';

/** How often the others are told again what is watched here, and after what time without it they forget. */
const TELL_MS = 5000;
const FORGET_MS = 15_000;
/** Channels named at once. */
const BATCH = 1000;
/** Channels remembered for all processes. Beyond, those that are told last are not watched. */
const MAX_CHANNELS = 100_000;

/** What watching works with. */
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
 * Which channels somebody, in whichever process, is told about by their meta channels. Every process counts and tells what
 * happens to those; to all others nothing is added. Who has subscribers of meta channels tells the others before it says
 * that they have them, and again and again, so that those that come later know too.
 */
export class MetaWatch {
  /** Watched by subscribers of this process, by app. */
  readonly #own = new Map<string, Set<string>>();
  /** Watched by anybody: until when. */
  readonly #watched = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;
  /** Told of a channel that is watched from now on. */
  onBegin: (appId: string, channel: string) => void = () => {};

  constructor(private readonly parts: MetaWatchParts) {}

  /** Somebody here wants a channel, if it is a meta channel. Undefined: everybody knows who has to. */
  begin(appId: string, name: string): Promise<void> | undefined {
    const base = metaBase(name);
    if (base === null) return undefined;
    const own = this.#own.get(appId) ?? new Set<string>();
    this.#own.set(appId, own.add(base));
    this.told(appId, [base]);
    this.#timer ??= setInterval(() => void this.#tellAgain(), TELL_MS).unref();
    return this.parts.isAlone ? undefined : this.#tell(appId, [base]);
  }

  /** Nobody here wants it any more. */
  end(appId: string, name: string): void {
    const base = metaBase(name);
    const own = base === null ? undefined : this.#own.get(appId);
    if (base === null || own?.delete(base) !== true) return;
    if (own.size === 0) this.#own.delete(appId);
    if (this.parts.isAlone) this.#watched.delete(keyOf(appId, base));
    if (this.#own.size === 0) this.stop();
  }

  /** A process, perhaps this one, says what is watched there. */
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

  /** Tells those who watch the channel, if anybody does. */
  announce(appId: string, channel: string, fact: AnnouncedFact): void {
    if (!this.has(appId, channel)) return;
    this.parts.announcements.announce({ appId, channel: metaChannel(channel), fact, exceptSocketId: null });
  }

  /** Nothing is told again. */
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

  /** Who did not answer hears of it again. Never rejects. */
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
