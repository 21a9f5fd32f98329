import type { ChannelCounts } from '@carillon/presence';
import type { Announcements } from './announcements.js';

/** Minimum interval between two counts of one channel. */
const INTERVAL_MS = 1000;

/** Interval of checks for expired rate limits. */
const LOOK_MS = 100;

/** Channels per request. */
const BATCH = 1000;

/** Dependencies of `SubscriptionCounts`. */
export interface SubscriptionCountParts {
  readonly counts: ChannelCounts;
  readonly announcements: Pick<Announcements, 'announce'>;
  readonly onTrouble: (what: string, error: unknown) => void;
}

interface Channel {
  readonly appId: string;
  readonly name: string;
}

/** A delivered count. */
interface Told {
  readonly channel: Channel;
  readonly atMs: number;
  /** Whether the count has changed since. */
  isOld: boolean;
}

/**
 * Sends the subscribers of a channel their count: after a change in this process, at most once a second per channel,
 * with the last value winning. The first change of a quiet channel is sent in the next turn of the loop. State is
 * kept by name, so that a channel that is closed and reopened counts as the same.
 */
export class SubscriptionCounts {
  /** Sent in the next turn of the loop. */
  readonly #due = new Map<string, Channel>();
  /** Sent within the last second, oldest first. */
  readonly #told = new Map<string, Told>();
  #isTelling = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly parts: SubscriptionCountParts) {}

  changed(appId: string, name: string): void {
    const key = `${appId} ${name}`;
    const told = this.#told.get(key);
    if (told === undefined || isOver(told)) this.#soon(key, { appId, name });
    else told.isOld = true;
  }

  /** Discards pending counts. */
  stop(): void {
    this.#due.clear();
    this.#told.clear();
    this.#look();
  }

  #soon(key: string, channel: Channel): void {
    this.#due.set(key, channel);
    if (this.#isTelling) return;
    this.#isTelling = true;
    setImmediate(() => this.#tell());
  }

  #look(): void {
    for (const [key, told] of this.#told) {
      if (!isOver(told)) break;
      this.#told.delete(key);
      if (told.isOld) this.#soon(key, told.channel);
    }
    if (this.#told.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #tell(): void {
    this.#isTelling = false;
    if (this.#due.size === 0) return;
    const due = [...this.#due];
    this.#due.clear();
    const atMs = performance.now();
    for (const [key, channel] of due) {
      // Deleted first, so that it moves to the end.
      this.#told.delete(key);
      this.#told.set(key, { channel, atMs, isOld: false });
    }
    this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
    for (const [appId, names] of byApp(due)) void this.#tellApp(appId, names);
  }

  async #tellApp(appId: string, channels: readonly string[]): Promise<void> {
    const { counts, announcements, onTrouble } = this.parts;
    for (let first = 0; first < channels.length; first += BATCH) {
      const names = channels.slice(first, first + BATCH);
      try {
        for (const [index, { count, serial }] of (await counts.look(appId, names)).entries()) {
          const channel = names[index];
          if (channel === undefined || count === 0) continue;
          const fact = { kind: 'channel_counted', channel, count, serial } as const;
          announcements.announce({ appId, channel, fact, exceptSocketId: null });
        }
      } catch (error) {
        onTrouble('subscription counts', error);
      }
    }
  }
}

const isOver = ({ atMs }: Told): boolean => performance.now() - atMs >= INTERVAL_MS;

function byApp(due: readonly (readonly [string, Channel])[]): Map<string, string[]> {
  const names = new Map<string, string[]>();
  for (const [, { appId, name }] of due) {
    const list = names.get(appId);
    if (list === undefined) names.set(appId, [name]);
    else list.push(name);
  }
  return names;
}
