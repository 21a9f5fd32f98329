import { randomUUID } from 'node:crypto';
import { ReplayUnavailable } from '../failures.js';
import {
  COUNTER_LIFE_MS,
  MAX_CHANNEL_BYTES,
  type NewReplayEntry,
  type Replay,
  type ReplayEntry,
  type ReplayPlace,
  type ReplayRange,
  type StreamPosition,
} from '../port.js';

export interface MemoryReplayOptions {
  /**
   * Limit of channels with a counter; beyond it, the least recently used is evicted and its stream restarts. @default
   * 100 000
   */
  readonly maxChannels?: number;
  /** Limit of stored text over all channels, in bytes; least recently used entries are evicted. @default 128 MiB */
  readonly maxBytes?: number;
  readonly maxChannelBytes?: number;
  readonly now?: () => number;
}

interface Kept extends ReplayEntry {
  readonly bytes: number;
}

interface Known {
  readonly streamId: string;
  readonly serial: number;
  readonly untilMs: number;
}

/** One channel. */
interface Channel {
  streamId: string;
  serial: number;
  entries: Kept[];
  bytes: number;
  maxAgeMs: number;
  usedAtMs: number;
  /** Serials of retryable entries; null: none. */
  once: Map<string, Known> | null;
}

const SWEEP_MS = 5000;
/** Channels looked at in one sweep. */
const MAX_SWEPT = 10_000;

/** Driver `memory`: one process, where everything is done at once. */
export class MemoryReplay implements Replay {
  readonly isAtOnce = true;
  /** In order of use, least recent first. */
  readonly #channels = new Map<string, Channel>();
  readonly #options: Required<MemoryReplayOptions>;
  readonly #sweeping: NodeJS.Timeout;
  #bytes = 0;
  #isClosed = false;

  constructor(options: MemoryReplayOptions = {}) {
    this.#options = {
      maxChannels: 100_000,
      maxBytes: 128 * 1024 * 1024,
      maxChannelBytes: MAX_CHANNEL_BYTES,
      now: () => performance.timeOrigin + performance.now(),
      ...options,
    };
    this.#sweeping = setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  append({ place, text, bounds, once }: NewReplayEntry): StreamPosition {
    const channel = this.#use(place);
    const nowMs = this.#options.now();
    const known = once === null ? undefined : channel.once?.get(once.id);
    if (known !== undefined && known.untilMs > nowMs && known.streamId === channel.streamId)
      return { streamId: known.streamId, serial: known.serial };
    channel.serial += 1;
    channel.maxAgeMs = bounds.maxAgeMs;
    const { streamId, serial } = channel;
    const bytes = Buffer.byteLength(text);
    channel.entries.push({ serial, atMs: nowMs, text, bytes });
    this.#grow(channel, bytes);
    this.#trim(channel, bounds.maxCount, nowMs);
    if (once !== null) {
      channel.once ??= new Map();
      channel.once.set(once.id, { streamId, serial, untilMs: nowMs + once.forMs });
      // Ids of evicted entries are useless.
      if (channel.once.size > 2 * bounds.maxCount) forget(channel.once, nowMs, bounds.maxCount);
    }
    this.#makeRoom();
    return { streamId, serial };
  }

  heads(places: readonly ReplayPlace[]): readonly StreamPosition[] {
    return places.map((place) => {
      const { streamId, serial } = this.#use(place);
      return { streamId, serial };
    });
  }

  async range(place: ReplayPlace, fromSerial: number, maxAgeMs: number): Promise<ReplayRange | null> {
    if (this.#isClosed) throw closed();
    const channel = this.#channels.get(nameOf(place));
    if (channel === undefined) return null;
    const oldestMs = this.#options.now() - maxAgeMs;
    const { streamId, serial, entries } = channel;
    return {
      streamId,
      serial,
      entries: entries.filter((one) => one.serial >= fromSerial && one.atMs >= oldestMs),
    };
  }

  async renew(place: ReplayPlace, streamId: string): Promise<boolean> {
    if (this.#isClosed) throw closed();
    const channel = this.#channels.get(nameOf(place));
    if (channel?.streamId !== streamId) return false;
    this.#clear(channel);
    channel.streamId = randomUUID();
    channel.serial = 0;
    channel.once = null;
    return true;
  }

  async health(): Promise<string | null> {
    return this.#isClosed ? 'it is closed' : null;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweeping);
    this.#channels.clear();
  }

  /** Evicts expired entries. */
  sweep(): void {
    const nowMs = this.#options.now();
    let looked = 0;
    for (const [name, channel] of this.#channels) {
      looked += 1;
      const unusedMs = nowMs - channel.usedAtMs;
      if (looked > MAX_SWEPT) return;
      if (unusedMs >= COUNTER_LIFE_MS) this.#drop(name, channel);
      else if (channel.bytes > 0) this.#trim(channel, Infinity, nowMs);
    }
  }

  /** The channel, used now. */
  #use(place: ReplayPlace): Channel {
    if (this.#isClosed) throw closed();
    const name = nameOf(place);
    const nowMs = this.#options.now();
    const found = this.#channels.get(name);
    if (found !== undefined && nowMs - found.usedAtMs < COUNTER_LIFE_MS) {
      found.usedAtMs = nowMs;
      this.#channels.delete(name);
      this.#channels.set(name, found);
      return found;
    }
    if (found !== undefined) this.#drop(name, found);
    const fresh: Channel = {
      streamId: randomUUID(),
      serial: 0,
      entries: [],
      bytes: 0,
      maxAgeMs: 0,
      usedAtMs: nowMs,
      once: null,
    };
    this.#channels.set(name, fresh);
    this.#makeRoom();
    return fresh;
  }

  #trim(channel: Channel, maxCount: number, nowMs: number): void {
    const { entries, maxAgeMs } = channel;
    let gone = 0;
    let { bytes } = channel;
    for (const one of entries) {
      const isKept =
        entries.length - gone <= maxCount &&
        bytes <= this.#options.maxChannelBytes &&
        nowMs - one.atMs <= maxAgeMs;
      if (isKept) break;
      gone += 1;
      bytes -= one.bytes;
    }
    if (gone === 0) return;
    if (gone === 1) entries.shift();
    else channel.entries = entries.slice(gone);
    this.#grow(channel, bytes - channel.bytes);
  }

  #makeRoom(): void {
    const { maxChannels, maxBytes } = this.#options;
    if (this.#channels.size <= maxChannels && this.#bytes <= maxBytes) return;
    for (const [name, channel] of this.#channels) {
      if (this.#channels.size > maxChannels) this.#drop(name, channel);
      else if (this.#bytes > maxBytes) this.#clear(channel);
      else return;
    }
  }

  #clear(channel: Channel): void {
    this.#grow(channel, -channel.bytes);
    channel.entries = [];
  }

  #drop(name: string, channel: Channel): void {
    this.#clear(channel);
    this.#channels.delete(name);
  }

  #grow(channel: Channel, bytes: number): void {
    channel.bytes += bytes;
    this.#bytes += bytes;
  }
}

/** No name holds U+0000. */
const nameOf = ({ appId, channel }: ReplayPlace): string => `${appId}\0${channel}`;

const closed = (): ReplayUnavailable => new ReplayUnavailable('it is closed');

/** Removes expired ids, and the oldest beyond `most`. */
function forget(once: Map<string, Known>, nowMs: number, most: number): void {
  for (const [id, { untilMs }] of once) if (untilMs <= nowMs || once.size > most) once.delete(id);
}
