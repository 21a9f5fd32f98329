import type { LocalChannel } from './local-channel.js';

/** Limit of lingering channels; beyond it the one that was left first is closed. */
const MOST = 5000;
const SWEEP_MS = 1000;

interface Left {
  readonly channel: LocalChannel;
  readonly untilMs: number;
}

/**
 * Recoverable channels without subscribers in this process. For the recovery window their events are still received
 * and remembered, so that a client that was the only subscriber can recover missed messages here.
 */
export class Lingering {
  /** In order of leaving, oldest first. */
  readonly #left = new Map<string, Left>();
  #timer: NodeJS.Timeout | null = null;

  constructor(
    /** Closes a channel. */
    private readonly end: (channel: LocalChannel) => void,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** The last subscriber left. Returns whether the channel lingers; otherwise the caller closes it. */
  keep(channel: LocalChannel): boolean {
    const { hub, name, about, interest } = channel;
    const { enabled, maxAgeMs } = about.policy.recovery;
    // Until the interest is confirmed, other processes may not send events here.
    if (!enabled || interest !== undefined) return false;
    this.#left.set(keyOf(hub.appId, name), { channel, untilMs: this.now() + maxAgeMs });
    hub.lingering.add(name);
    const [oldest] = this.#left;
    if (this.#left.size > MOST && oldest !== undefined) this.#end(...oldest);
    this.#timer ??= setInterval(() => this.#sweep(), SWEEP_MS).unref();
    return true;
  }

  /** The channel has a subscriber again. Returns whether it was retained until now. */
  take(appId: string, name: string): boolean {
    const key = keyOf(appId, name);
    const left = this.#left.get(key);
    if (left === undefined) return false;
    this.#left.delete(key);
    left.channel.hub.lingering.delete(name);
    return true;
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  #sweep(): void {
    const nowMs = this.now();
    for (const [key, left] of this.#left) if (left.untilMs <= nowMs) this.#end(key, left);
    if (this.#left.size === 0) this.stop();
  }

  #end(key: string, { channel }: Left): void {
    this.#left.delete(key);
    channel.hub.lingering.delete(channel.name);
    this.end(channel);
  }
}

/** Names never contain U+0000. */
const keyOf = (appId: string, name: string): string => `${appId}\0${name}`;
