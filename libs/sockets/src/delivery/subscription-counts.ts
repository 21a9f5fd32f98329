import type { Fabric } from '@carillon/fabric';
import { subscriptionCount } from '@carillon/protocol';
import type { Publisher } from '@carillon/publishing';
import type { LocalChannel } from '../hub/local-channel.js';

/** Between two counts of one channel, at least. */
const INTERVAL_MS = 1000;

/** How often channels that wait for their time are looked at. */
const LOOK_MS = 100;

/** Channels asked about at once. */
const BATCH = 1000;

/** What telling counts works with. */
export interface SubscriptionCountParts {
  readonly fabric: Fabric;
  readonly publisher: Publisher;
  readonly onTrouble: (what: string, error: unknown) => void;
}

/**
 * Tells the subscribers of a channel how many they are, in apps that want that: after a change, at most once a second
 * per channel, the last value winning. The first change of a quiet channel is told in the next turn of the loop.
 */
export class SubscriptionCounts {
  /** Told in the next turn of the loop. */
  readonly #due = new Set<LocalChannel>();
  /** Told less than a second ago. */
  readonly #waiting = new Set<LocalChannel>();
  #isTelling = false;
  #timer: NodeJS.Timeout | null = null;

  constructor(private readonly parts: SubscriptionCountParts) {}

  changed(channel: LocalChannel): void {
    if (!channel.hub.rules.subscriptionCounts || channel.about.traits.members) return;
    if (isDue(channel)) this.#soon(channel);
    else {
      this.#waiting.add(channel);
      this.#timer ??= setInterval(() => this.#look(), LOOK_MS).unref();
    }
  }

  /** What is not told yet is forgotten. */
  stop(): void {
    this.#due.clear();
    this.#waiting.clear();
    this.#look();
  }

  #soon(channel: LocalChannel): void {
    this.#due.add(channel);
    if (this.#isTelling) return;
    this.#isTelling = true;
    setImmediate(() => this.#tell());
  }

  #look(): void {
    for (const channel of this.#waiting) {
      if (!isDue(channel)) continue;
      this.#waiting.delete(channel);
      this.#soon(channel);
    }
    if (this.#waiting.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #tell(): void {
    this.#isTelling = false;
    const channels = [...this.#due];
    this.#due.clear();
    const nowMs = performance.now();
    for (const channel of channels) channel.countToldAtMs = nowMs;
    for (const [appId, ofApp] of byApp(channels)) void this.#tellApp(appId, ofApp);
  }

  async #tellApp(appId: string, channels: readonly LocalChannel[]): Promise<void> {
    const { fabric, publisher, onTrouble } = this.parts;
    for (let first = 0; first < channels.length; first += BATCH) {
      const names = channels.slice(first, first + BATCH).map(({ name }) => name);
      try {
        const { answer } = await fabric.ask('batch_channel_sockets_count', appId, { channels: names });
        for (const [name, count] of answer)
          publisher.announce(appId, name, subscriptionCount(name, count), null);
      } catch (error) {
        onTrouble('subscription counts', error);
      }
    }
  }
}

const isDue = ({ countToldAtMs }: LocalChannel): boolean => performance.now() - countToldAtMs >= INTERVAL_MS;

function byApp(channels: readonly LocalChannel[]): Map<string, LocalChannel[]> {
  const grouped = new Map<string, LocalChannel[]>();
  for (const channel of channels) {
    const { appId } = channel.hub;
    const list = grouped.get(appId);
    if (list === undefined) grouped.set(appId, [channel]);
    else list.push(channel);
  }
  return grouped;
}
