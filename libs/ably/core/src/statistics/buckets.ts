import { setTimeout as wait } from 'node:timers/promises';
import type { Cache } from '@carillon/cache';
import { CompatError } from '../compat-error.js';
import { parseJson } from '../json.js';
import type { Entries } from './entries.js';
import { intervalOf, startOf } from './intervals.js';
import { minuteText, readMinute, type Seen, withSeen } from './minute.js';

/** The counters of one minute. */
export interface Bucket {
  readonly startMs: number;
  readonly entries: Entries;
}

export interface BucketOptions {
  /** The id of this process among those that write the same minutes. */
  readonly process: string;
  readonly retentionMs: number;
  readonly retries: number;
}

const MAX_WAIT_MS = 5;
/** Minutes that are read together: a month of them one by one takes its time where the store is elsewhere. */
const AT_ONCE = 32;

type Change = (before: string | null) => string;

const nameOf = (...parts: readonly string[]): string =>
  `compat:stats:${parts.map(encodeURIComponent).join(':')}`;

/**
 * Stores minutes of apps in the shared cache: one entry per minute. One index per day lists its minutes, and one per
 * app lists its days. An index is written before the entries it refers to, so that no entry is unreachable.
 */
export class Buckets {
  constructor(
    private readonly cache: Pick<Cache, 'compareAndSwap' | 'get' | 'setIfAbsent'>,
    private readonly options: BucketOptions,
  ) {}

  /** Adds to a minute. Rejects when that could not be done. */
  async add(appId: string, startMs: number, seen: Seen): Promise<void> {
    const { process } = this.options;
    await this.#change(appId, startMs, (before) => minuteText(withSeen(readMinute(before), process, seen)));
  }

  /** Replaces the entries of a minute. Rejects on failure. */
  async replace(appId: string, startMs: number, entries: Entries): Promise<void> {
    await this.#change(appId, startMs, () => minuteText({ entries, levels: {} }));
  }

  /** Yields the non-empty minutes that begin in the range, in the requested order; they are read lazily. */
  async *read(
    appId: string,
    { fromMs, untilMs }: { readonly fromMs: number; readonly untilMs: number },
    newestFirst: boolean,
  ): AsyncGenerator<Bucket> {
    const [firstDay, lastDay] = [intervalOf(fromMs, 'day'), intervalOf(untilMs - 1, 'day')];
    const days = listOf(await this.cache.get(nameOf(appId))).filter(
      (day) => day >= firstDay && day <= lastDay,
    );
    for (const day of inOrder(days, newestFirst)) {
      const minutes = listOf(await this.cache.get(nameOf(appId, day))).filter((minute) => {
        const startMs = startOf(minute) ?? -1;
        return startMs >= fromMs && startMs < untilMs;
      });
      yield* this.#minutes(appId, day, inOrder(minutes, newestFirst));
    }
  }

  async *#minutes(appId: string, day: string, minutes: readonly string[]): AsyncGenerator<Bucket> {
    for (let from = 0; from < minutes.length; from += AT_ONCE) {
      const some = minutes.slice(from, from + AT_ONCE);
      const texts = await Promise.all(some.map((minute) => this.cache.get(nameOf(appId, day, minute))));
      for (const [index, text] of texts.entries())
        if (text !== null)
          yield { startMs: startOf(some[index] ?? '') ?? 0, entries: readMinute(text).entries };
    }
  }

  async #change(appId: string, startMs: number, change: Change): Promise<void> {
    const day = intervalOf(startMs, 'day');
    const minute = intervalOf(startMs, 'minute');
    const name = nameOf(appId, day, minute);
    const before = await this.cache.get(name);
    if (before === null) {
      await this.#swap(nameOf(appId), listing(day));
      await this.#swap(nameOf(appId, day), listing(minute));
    }
    await this.#swap(name, change, before);
  }

  async #swap(name: string, change: Change, known?: string | null): Promise<void> {
    const { retentionMs, retries } = this.options;
    for (let attempt = 0; attempt <= retries; attempt += 1) {
      // Processes that met once would meet again.
      if (attempt > 0) await wait(Math.random() * Math.min(MAX_WAIT_MS, attempt));
      const before = attempt === 0 && known !== undefined ? known : await this.cache.get(name);
      const after = change(before);
      if (after === before) return;
      const isDone =
        before === null
          ? await this.cache.setIfAbsent(name, after, retentionMs)
          : await this.cache.compareAndSwap(name, before, after, retentionMs);
      if (isDone) return;
    }
    throw new CompatError(50_003, 'statistics are written by too many at once');
  }
}

/** Adds to a list of ids. Those of the last retention are few: days of an app, or minutes of a day. */
const listing =
  (id: string): Change =>
  (before) => {
    const ids = listOf(before);
    return before !== null && ids.includes(id) ? before : JSON.stringify([...ids, id].sort());
  };

const inOrder = (ids: readonly string[], newestFirst: boolean): readonly string[] =>
  newestFirst ? ids.toReversed() : ids;

function listOf(text: string | null): readonly string[] {
  const list = text === null ? [] : parseJson(text);
  return Array.isArray(list) ? list.filter((one) => typeof one === 'string') : [];
}
