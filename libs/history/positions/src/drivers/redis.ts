import { randomUUID } from 'node:crypto';
import { cacheKeys } from '@carillon/contracts';
import type { RedisArgument, RedisLink, RedisScript } from '@carillon/redis';
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
import { APPEND, HEAD, RANGE, RENEW } from '../redis/scripts.js';

export interface RedisReplayParts {
  /** Connected when it is first wanted; rejects when that cannot be. */
  readonly open: () => Promise<RedisLink>;
  /** In front of every name, as written. */
  readonly prefix: string;
  /** @default the port's `MAX_CHANNEL_BYTES` */
  readonly maxChannelBytes?: number;
}

/** Drivers `redis` and `redis-cluster`: the keys of a channel share a hash tag, so that one script changes them all. */
export class RedisReplay implements Replay {
  readonly isAtOnce = false;
  #opening: Promise<RedisLink> | null = null;
  #link: RedisLink | null = null;
  #isClosed = false;

  constructor(private readonly parts: RedisReplayParts) {}

  async append({ place, text, bounds, once }: NewReplayEntry): Promise<StreamPosition> {
    const { maxChannelBytes = MAX_CHANNEL_BYTES } = this.parts;
    const keys = this.#keys(place);
    if (once !== null) keys.push(this.#name(cacheKeys.sequencedOnce(place.appId, place.channel, once.id)));
    const { maxCount, maxAgeMs } = bounds;
    const life = once === null ? 0 : once.forMs;
    const answer = await this.#run(
      APPEND,
      keys,
      randomUUID(),
      text,
      maxCount,
      maxChannelBytes,
      maxAgeMs,
      COUNTER_LIFE_MS,
      life,
    );
    return positionOf(answer);
  }

  heads(places: readonly ReplayPlace[]): Promise<readonly StreamPosition[]> {
    return Promise.all(
      places.map(async (place) =>
        positionOf(await this.#run(HEAD, this.#keys(place), randomUUID(), COUNTER_LIFE_MS)),
      ),
    );
  }

  async range(place: ReplayPlace, fromSerial: number, maxAgeMs: number): Promise<ReplayRange | null> {
    const answer = await this.#run(RANGE, this.#keys(place), fromSerial);
    if (answer === null) return null;
    const [streamId, serial, first, now, texts] = answer as [
      string,
      number,
      number,
      string,
      readonly string[],
    ];
    const oldestMs = Number(now) - maxAgeMs;
    const entries = texts.map((text, index) => entryOf(text, first + index));
    return { streamId, serial, entries: entries.filter(({ atMs }) => atMs >= oldestMs) };
  }

  async renew(place: ReplayPlace, streamId: string): Promise<boolean> {
    return (await this.#run(RENEW, this.#keys(place), streamId, randomUUID(), COUNTER_LIFE_MS)) === 1;
  }

  async health(): Promise<string | null> {
    try {
      return await (await this.#opened()).health();
    } catch (error) {
      return error instanceof Error ? error.message : 'it cannot be opened';
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const link = this.#link ?? (await this.#opening?.catch(() => null)) ?? null;
    link?.close();
  }

  #name(name: string): string {
    return `${this.parts.prefix}${name}`;
  }

  #keys({ appId, channel }: ReplayPlace): string[] {
    return [this.#name(cacheKeys.sequence(appId, channel)), this.#name(cacheKeys.hotBuffer(appId, channel))];
  }

  async #run(
    script: RedisScript,
    keys: readonly string[],
    ...rest: readonly RedisArgument[]
  ): Promise<unknown> {
    try {
      return await (this.#link ?? (await this.#opened())).run(script, keys, ...rest);
    } catch (thrown) {
      throw new ReplayUnavailable(undefined, thrown);
    }
  }

  async #opened(): Promise<RedisLink> {
    if (this.#isClosed) throw new ReplayUnavailable('it is closed');
    this.#opening ??= this.parts.open();
    try {
      this.#link = await this.#opening;
    } catch (error) {
      this.#opening = null;
      throw error;
    }
    return this.#link;
  }
}

function positionOf(answer: unknown): StreamPosition {
  const [streamId, serial] = answer as [string, number];
  return { streamId, serial };
}

function entryOf(kept: string, serial: number): ReplayEntry {
  const space = kept.indexOf(' ');
  return { serial, atMs: Number(kept.slice(0, space)), text: kept.slice(space + 1) };
}
