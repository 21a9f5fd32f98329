import { randomUUID } from 'node:crypto';
import { type Cache, MemoryCache } from '@carillon/cache';
import { cacheKeys, type CommitRecord, type CommitRecordOf, type CommitResult } from '@carillon/contract';
import { MemoryHistoryStore, StoreFailure, type StreamAddress, streamName } from '@carillon/history-store';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  HistoryReader,
  MarkingCommits,
  PresenceHistoryReader,
  readHistoryQuery,
  StateHints,
} from '../src/index.js';
import { MOST_KEPT } from '../src/hints/state-hints.js';
import { PRESENCE_CHANNEL, resetOf, transition, write } from './writing.js';

beforeEach(() => void vi.useFakeTimers({ now: 1_760_000_000_000 }));
afterEach(() => void vi.useRealTimers());

const pass = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

type Mark = CommitRecordOf<'mark'>;

const LAGGING = 'presence_history_commit_lagging';
const LOST = 'presence_history_write_failed';

const markOf = (more: Partial<Mark> = {}): Mark => ({
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

const regressed = (more: Partial<Mark> = {}): Mark =>
  markOf({
    channel: 'orders',
    stream: 'messages',
    state: 'reset_required',
    reason: 'history_stream_regressed',
    seen_delivery_serial: 9,
    ...more,
  });

const PRESENCE: StreamAddress = { appId: 'shop', channel: PRESENCE_CHANNEL, kind: 'presence' };

/** What several processes share: a store that may take nothing, and a cache. */
class World {
  readonly store = new MemoryHistoryStore();
  readonly cache = new MemoryCache({ capacity: 1e6, defaultTtlMs: 0, cleanupIntervalMs: 1e9, now: Date.now });
  /** Channels whose commits fail; `*`: all do. */
  readonly stuck = new Set<string>();
  readonly sent: CommitRecord[] = [];

  readonly commits = {
    commit: async (records: readonly CommitRecord[]): Promise<readonly CommitResult[]> => {
      this.sent.push(...records);
      return Promise.all(records.map((record) => this.#one(record)));
    },
  };

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

/** One process with what it reads and commits by. */
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
    const parts = { store, now: Date.now, hints: this.hints };
    this.commits = new MarkingCommits({
      commits,
      hints: this.hints,
      reads: store,
      now: Date.now,
      onTrouble: () => undefined,
    });
    this.messages = new HistoryReader({ ...parts, unreadable: () => undefined }, options);
    this.presence = new PresenceHistoryReader(parts, options);
  }

  async seen(channel: string = PRESENCE_CHANNEL) {
    const { state } = await this.presence.state('shop', channel);
    return [state.durable_state, state.reason, state.observed_source];
  }
}

/** A world with an event in both streams, and a moment after that. */
async function inhabited(): Promise<World> {
  const world = new World();
  await world.commits.commit([transition('member_added', 'u')]);
  await world.commits.commit([resetOf('messages', 'orders')]);
  world.sent.length = 0;
  await pass(1000);
  return world;
}

const HEALTHY = ['healthy', null, 'durable_store'];
const key = cacheKeys.presenceDegraded('shop', PRESENCE_CHANNEL);

describe('a state that the store cannot be told of', () => {
  it('is shown by whoever found it, and through the cache by the others', async () => {
    const world = await inhabited();
    const [finder, other] = [world.process(), world.process()];
    world.stuck.add('*');
    await finder.commits.commit([markOf()]);
    await finder.commits.commit([regressed()]);
    const atMs = Date.now();
    await pass(1000);
    expect(await finder.seen()).toEqual(['degraded', LOST, 'local_memory_hint']);
    expect(await other.seen()).toEqual(['degraded', LOST, 'shared_cache_hint']);
    const page = await other.presence.page('shop', PRESENCE_CHANNEL, readHistoryQuery({}, 10));
    expect(page).toMatchObject({
      items: [{ user_id: 'u' }],
      continuity: { degraded: true, complete: false },
      stream_state: { durable_state: 'degraded', continuity_proven: false, node_id: 'gw-1' },
    });
    const unavailable = { code: 'service_unavailable', message: expect.stringContaining(LOST) };
    const latest = { atSerial: null, atTimeMs: null };
    await expect(other.presence.snapshot('shop', PRESENCE_CHANNEL, latest)).rejects.toMatchObject(
      unavailable,
    );
    await expect(other.messages.page('shop', 'orders', readHistoryQuery({}, 10))).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    expect((await other.messages.state('shop', 'orders')).state).toMatchObject({
      durable_state: 'reset_required',
      recovery_allowed: false,
      reset_required: true,
      last_transition_at_ms: atMs,
      authoritative_source: 'durable_store',
      observed_source: 'shared_cache_hint',
    });
    expect((await world.cache.entry(key))?.ttlMs).toBe(3_600_000 - 1000);
  });

  it('is written when the store is back, the same mark, and is a hint no longer', async () => {
    const world = await inhabited();
    const [finder, other] = [world.process(), world.process()];
    world.stuck.add('*');
    const mark = markOf();
    await finder.commits.commit([mark]);
    await pass(7000);
    expect(await world.stateOf(PRESENCE)).toBe('healthy');
    world.stuck.clear();
    await pass(5000);
    for (const process of [finder, other])
      expect(await process.seen()).toEqual(['degraded', LOST, 'durable_store']);
    expect(new Set(world.marks.map(({ pub_id }) => pub_id))).toEqual(new Set([mark.pub_id]));
    expect([finder.hints.kept, await world.cache.get(key)]).toEqual([[], null]);
    const { length } = world.sent;
    await pass(60_000);
    expect(world.sent).toHaveLength(length);
  });

  it('is over with a reset, everywhere, and is not written to what began anew', async () => {
    const world = await inhabited();
    const [finder, operator] = [world.process(), world.process()];
    world.stuck.add('*');
    await finder.commits.commit([markOf()]);
    await pass(1000);
    world.stuck.clear();
    await operator.commits.commit([resetOf('presence')]);
    expect(await world.cache.get(key)).toBeNull();
    for (const process of [finder, operator]) expect(await process.seen()).toEqual(HEALTHY);
    await pass(10_000);
    expect(finder.hints.kept).toEqual([]);
    expect(world.marks).toHaveLength(1);
    expect(await world.stateOf(PRESENCE)).toBe('healthy');
  });

  it('is not shown where the store knows of a newer transition, and of two hints the newer one is', async () => {
    const world = await inhabited();
    const [finder, other] = [world.process(), world.process()];
    world.stuck.add('*');
    await finder.commits.commit([markOf()]);
    await pass(1000);
    await other.commits.commit([markOf({ reason: LAGGING, node_id: 'gw-2' })]);
    await pass(100);
    expect(await finder.seen()).toEqual(['degraded', LAGGING, 'shared_cache_hint']);
    expect(await other.seen()).toEqual(['degraded', LAGGING, 'local_memory_hint']);
    const reason = 'presence_history_reset_required_after_write_failure';
    await write(world.store, [markOf({ state: 'reset_required', reason })], Date.now() + 1);
    for (const process of [finder, other])
      expect(await process.seen()).toEqual(['reset_required', reason, 'durable_store']);
  });

  it('is that of the first time however often it is said, and what is said later takes its place', async () => {
    const world = await inhabited();
    const finder = world.process();
    world.stuck.add('*');
    const firstMs = Date.now();
    for (const ms of [0, 1000, 1000]) {
      await pass(ms);
      await finder.commits.commit([markOf()]);
    }
    const stateOf = async () => (await finder.presence.state('shop', PRESENCE_CHANNEL)).state;
    expect((await stateOf()).last_transition_at_ms).toBe(firstMs);
    await finder.commits.commit([markOf({ state: 'healthy', reason: null })]);
    expect(await stateOf()).toMatchObject({
      durable_state: 'healthy',
      last_transition_at_ms: firstMs + 2000,
    });
  });

  it('is over when what lagged is committed, and is never written then', async () => {
    const world = await inhabited();
    const finder = world.process();
    world.stuck.add('*');
    await finder.commits.commit([markOf({ reason: LAGGING })]);
    await pass(1000);
    expect(await finder.seen()).toEqual(['degraded', LAGGING, 'local_memory_hint']);
    world.stuck.clear();
    await finder.commits.commit([transition('member_added', 'v')]);
    expect(await finder.seen()).toEqual(HEALTHY);
    expect(await world.cache.get(key)).toBeNull();
    await pass(60_000);
    expect(world.marks).toHaveLength(1);
  });

  it('is not one when the store finds that it is not so', async () => {
    const world = await inhabited();
    const finder = world.process();
    world.stuck.add('*');
    await finder.commits.commit([regressed({ reason: 'history_serial_gap' })]);
    world.stuck.clear();
    await pass(6000);
    expect((await finder.messages.state('shop', 'orders')).state.durable_state).toBe('healthy');
    expect(finder.hints.kept).toEqual([]);
  });

  it('waits for no other stream that is stuck', async () => {
    const world = await inhabited();
    const finder = world.process();
    world.stuck.add('*');
    for (let n = 0; n < 40; n += 1) {
      const channel = `presence-${n}`;
      await world.store.commit(
        {
          nowMs: 0,
          streams: [{ address: { ...PRESENCE, channel }, create: true }],
          receipts: { scopes: [], sinceMs: 0 },
          members: [],
          crowds: [],
          below: null,
          inspect: false,
        },
        () => ({
          changes: {
            streams: [],
            records: [],
            receipts: [],
            presenceEvents: [],
            presenceMembers: [],
            presenceCheckpoints: [],
            operatorLog: [],
          },
        }),
      );
      await finder.commits.commit([markOf({ channel })]);
      world.stuck.add(channel);
    }
    await finder.commits.commit([markOf()]);
    world.stuck.delete('*');
    await pass(30_000);
    expect(await world.stateOf(PRESENCE)).toBe('degraded');
    expect(finder.hints.kept).toHaveLength(40);
  });

  it('is kept of a bounded number of streams, and told to the cache of the others', async () => {
    const world = await inhabited();
    const finder = world.process();
    world.stuck.add('*');
    for (let n = 0; n < MOST_KEPT; n += 1) await finder.hints.keep(markOf({ channel: `c${n}` }), 1);
    await finder.commits.commit([markOf()]);
    expect(finder.hints.kept).toHaveLength(MOST_KEPT);
    await pass(1);
    expect(await finder.seen()).toEqual(['degraded', LOST, 'shared_cache_hint']);
    finder.commits.stop();
  });
});

describe('a shared cache', () => {
  const away = (answer: () => Promise<never>): Cache =>
    ({ get: answer, set: answer, remove: answer, compareAndRemove: answer }) as unknown as Cache;

  it.each([
    ['is away', () => Promise.reject(new Error('away'))],
    ['says nothing', () => new Promise<never>(() => {})],
  ])('that %s is waited for by nobody, and this process shows what it knows', async (_what, answer) => {
    const world = await inhabited();
    const finder = world.process(away(answer));
    const waited = async <Value>(asked: Promise<Value>): Promise<Value> => {
      await pass(900);
      return asked;
    };
    expect(await waited(finder.seen())).toEqual(HEALTHY);
    world.stuck.add('*');
    await waited(finder.commits.commit([markOf()]));
    expect(await waited(finder.seen())).toEqual(['degraded', LOST, 'local_memory_hint']);
    world.stuck.clear();
    const [reset] = await waited(finder.commits.commit([resetOf('presence')]));
    expect(reset).toMatchObject({ status: 'applied' });
    expect(await waited(finder.seen())).toEqual(HEALTHY);
    finder.commits.stop();
  });

  it('that comes back is told then', async () => {
    const world = await inhabited();
    let isAway = true;
    const { cache } = world;
    const lost = (): Promise<never> => Promise.reject(new Error('away'));
    const flaky = Object.assign(Object.create(cache) as Cache, {
      get: (name: string) => (isAway ? lost() : cache.get(name)),
      set: (name: string, value: string, ttlMs?: number) => (isAway ? lost() : cache.set(name, value, ttlMs)),
    });
    const finder = world.process(flaky);
    world.stuck.add('*');
    await finder.commits.commit([markOf()]);
    isAway = false;
    await pass(6000);
    expect(await world.process().seen()).toEqual(['degraded', LOST, 'shared_cache_hint']);
    finder.commits.stop();
  });

  it('keeps a hint for as long as the store is away', async () => {
    const world = await inhabited();
    const finder = world.process();
    world.stuck.add('*');
    await finder.commits.commit([markOf()]);
    for (let hours = 0; hours < 3; hours += 1) await pass(3_600_000);
    expect(await world.process().seen()).toEqual(['degraded', LOST, 'shared_cache_hint']);
    finder.commits.stop();
  });

  it.each(['', 'null', '[]', '{"state":"worse"}', `{"state":"degraded","reason":1}`, 'x'.repeat(9000)])(
    'that holds something else knows nothing: %s',
    async (value) => {
      const world = await inhabited();
      await world.cache.set(key, value);
      expect(await world.process().seen()).toEqual(HEALTHY);
    },
  );
});

describe('commits of a process', () => {
  it('are answered and refused as they would be without hints', async () => {
    const world = await inhabited();
    const { commits } = world.process();
    const { hints } = world.process();
    expect(await commits.commit([transition('member_added', 'v')])).toMatchObject([{ status: 'applied' }]);
    const broken = new MarkingCommits({
      commits: { commit: () => Promise.reject(new StoreFailure('connection', 'no')) },
      hints,
      reads: world.store,
      now: Date.now,
      onTrouble: () => undefined,
    });
    await expect(broken.commit([markOf()])).rejects.toThrow('no');
    expect(hints.kept).toHaveLength(1);
    broken.stop();
  });
});
