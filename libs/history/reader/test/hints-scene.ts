import { randomUUID } from 'node:crypto';
import { type Cache, MemoryCache } from '@carillon/cache';
import { cacheKeys, type CommitRecord, type CommitRecordOf, type CommitResult } from '@carillon/contracts';
import { MemoryHistoryStore, type StreamAddress, streamName } from '@carillon/history-store';
import { vi } from 'vitest';
import { HistoryReader, MarkingCommits, PresenceHistoryReader, StateHints } from '../src/index.js';
import { NO_DESK } from './desks.js';
import { PRESENCE_CHANNEL, resetOf, transition, write } from './writing.js';

export const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

type Mark = CommitRecordOf<'mark'>;

export const LAGGING = 'presence_history_commit_lagging';
export const LOST = 'presence_history_write_failed';

export const markOf = (more: Partial<Mark> = {}): Mark => ({
  op: 'mark',
  pub_id: randomUUID(),
  app_id: 'shop',
  channel: PRESENCE_CHANNEL,
  stream: 'presence',
  state: 'degraded',
  reason: LOST,
  node_id: 'gw-1',
  ...more,
});

export const regressed = (more: Partial<Mark> = {}): Mark =>
  markOf({
    channel: 'orders',
    stream: 'messages',
    state: 'reset_required',
    reason: 'history_stream_regressed',
    seen_delivery_serial: 9,
    ...more,
  });

export const PRESENCE: StreamAddress = { appId: 'shop', channel: PRESENCE_CHANNEL, kind: 'presence' };

/** Shared parts of several processes: a store that may refuse writes, and a cache. */
class World {
  readonly store = new MemoryHistoryStore();
  readonly cache = new MemoryCache({ capacity: 1e6, defaultTtlMs: 0, cleanupIntervalMs: 1e9, now: Date.now });
  /** Channels whose commits fail; `*`: all do. */
  readonly stuck = new Set<string>();
  readonly sent: CommitRecord[] = [];

  readonly #commit = async (records: readonly CommitRecord[]): Promise<readonly CommitResult[]> => {
    this.sent.push(...records);
    return Promise.all(records.map((record) => this.#one(record)));
  };
  readonly commits = { commit: this.#commit, commitChain: this.#commit };

  async #one(record: CommitRecord): Promise<CommitResult> {
    const { pub_id, channel } = record;
    if (this.stuck.has('*') || this.stuck.has(channel))
      return { pub_id, status: 'rejected', code: 'service_unavailable', http_status: 503 };
    const [result] = await write(this.store, [record], Date.now());
    return result ?? { pub_id, status: 'expired' };
  }

  get marks(): Mark[] {
    return this.sent.filter((record) => record.op === 'mark');
  }

  async stateOf(address: StreamAddress) {
    return (await this.store.heads([address])).get(streamName(address))?.durable.state;
  }

  process(cache: Cache = this.cache): Process {
    return new Process(this, cache);
  }
}

/** One process with its reader and committer. */
class Process {
  readonly hints: StateHints;
  readonly commits: MarkingCommits;
  readonly messages: HistoryReader;
  readonly presence: PresenceHistoryReader;

  constructor(
    { store, commits }: World,
    readonly cache: Cache,
  ) {
    const options = { timeoutMs: 1000, source: 'durable_store' } as const;
    this.hints = new StateHints({ cache, elapsed: Date.now });
    const parts = { store, now: Date.now, hints: this.hints, faults: NO_DESK };
    this.commits = new MarkingCommits({
      commits,
      hints: this.hints,
      reads: store,
      now: Date.now,
      onTrouble: () => undefined,
    });
    this.messages = new HistoryReader(parts, options);
    this.presence = new PresenceHistoryReader(parts, options);
  }

  async seen(channel: string = PRESENCE_CHANNEL) {
    const { state } = await this.presence.state('shop', channel);
    return [state.durable_state, state.reason, state.observed_source];
  }
}

/** A world with an event in both streams, and a moment after that. */
export async function inhabited(): Promise<World> {
  const world = new World();
  await world.commits.commit([transition('member_added', 'u')]);
  await world.commits.commit([resetOf('messages', 'orders')]);
  world.sent.length = 0;
  await pass(1000);
  return world;
}

export const HEALTHY = ['healthy', null, 'durable_store'];
/** Cache key of the hint of the presence history. */
export const key = cacheKeys.presenceDegraded('shop', PRESENCE_CHANNEL);
