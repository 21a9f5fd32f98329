import type { AttachPoint } from '@carillon/protocol';
import { pause } from '@carillon/runtime';
import type { ChannelFollower } from '../channels/channel-book.js';
import type { LocalChannel } from '../channels/local-channel.js';
import type { Standing } from '../durable/followed.js';
import type { Streams } from '../durable/streams.js';
import type { Past } from './past.js';

/** Start of a subscription: the reported position, and the serial. */
export interface Attached extends AttachPoint {
  /** Null: the channel has no stream yet. */
  readonly standing: Standing | null;
}

/** Follower of the streams of one kind. */
type Follower = ChannelFollower & { readonly streams: Pick<Streams, 'known' | 'standing'> };

export interface PositionsParts {
  readonly durable: Follower;
  /** Null: this process has no sequencer. */
  readonly sequenced: Follower | null;
  readonly past: Past;
}

const ATTACH_WITHIN_MS = 3000;
const AGAIN_MS = 250;

/** Stream positions of subscribed channels, whether their serials come from the history or the sequencer. */
export class Positions implements ChannelFollower {
  constructor(private readonly parts: PositionsParts) {}

  follow(channel: LocalChannel): void {
    this.#followerOf(channel)?.follow(channel);
  }

  leave(channel: LocalChannel): void {
    const { durable, sequenced, past } = this.parts;
    durable.leave(channel);
    sequenced?.leave(channel);
    past.forget(channel.hub.appId, channel.name);
  }

  /** Whether subscribers receive the position of the channel. */
  has(channel: LocalChannel): boolean {
    return this.#followerOf(channel) !== null;
  }

  /**
   * Returns where a subscription begins; newer events are delivered live. Null if the channel has no positions.
   * Rejects if the position is unavailable in time.
   */
  async attach(channel: LocalChannel, withinMs = ATTACH_WITHIN_MS): Promise<Attached | null> {
    if (!this.has(channel)) return null;
    const { history, recovery } = channel.about.policy;
    const standing = await within(withinMs, this.#onceTold(channel, recovery.enabled, withinMs));
    return {
      standing,
      attachSerial: history.enabled ? (standing?.historySerial ?? 0) : null,
      position:
        recovery.enabled && standing !== null
          ? { streamId: standing.streamId, serial: standing.serial }
          : null,
    };
  }

  /** Retries while the store is unavailable, until the timeout. */
  async #onceTold(channel: LocalChannel, make: boolean, withinMs: number): Promise<Standing | null> {
    const untilMs = performance.now() + withinMs;
    for (;;) {
      try {
        return await this.standing(channel, { isKnown: () => true, make });
      } catch (error) {
        if (performance.now() + AGAIN_MS >= untilMs) throw error;
        await pause(AGAIN_MS);
      }
    }
  }

  /**
   * Returns the serial up to which everything was delivered here; null: it is unknown, or the channel has no
   * positions.
   */
  here(channel: LocalChannel): Standing | null {
    return this.#followerOf(channel)?.streams.known(channel.hub.appId, channel.name) ?? null;
  }

  /** Local position; see `Streams.standing`. */
  async standing(
    channel: LocalChannel,
    how: { readonly isKnown: (standing: Standing) => boolean; readonly make: boolean },
  ): Promise<Standing | null> {
    const follower = this.#followerOf(channel);
    if (follower === null) return null;
    // The channel may not have been followed when its first subscriber arrived.
    follower.follow(channel);
    return follower.streams.standing(channel.hub.appId, channel.name, how);
  }

  #followerOf({ about: { policy } }: LocalChannel): Follower | null {
    if (policy.history.enabled) return this.parts.durable;
    return policy.recovery.enabled ? this.parts.sequenced : null;
  }
}

export function within<Value>(ms: number, work: Promise<Value>): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not within ${ms} ms`)), ms);
    work.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
