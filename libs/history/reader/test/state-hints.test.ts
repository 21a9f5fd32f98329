import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { readHistoryQuery } from '../src/index.js';
import { MAX_KEPT } from '../src/hints/state-hints.js';
import { HEALTHY, inhabited, key, LAGGING, LOST, markOf, pass, PRESENCE, regressed } from './hints-scene.js';
import { PRESENCE_CHANNEL, resetOf, transition, write } from './writing.js';
import { NOTHING, wantedOf } from './rows.js';

beforeEach(() => void vi.useFakeTimers({ now: 1_760_000_000_000 }));
afterEach(() => void vi.useRealTimers());

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
      await world.store.commit(wantedOf({ ...PRESENCE, channel }, 0), () => ({ changes: NOTHING }));
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
    for (let n = 0; n < MAX_KEPT; n += 1) await finder.hints.keep(markOf({ channel: `c${n}` }), 1);
    await finder.commits.commit([markOf()]);
    expect(finder.hints.kept).toHaveLength(MAX_KEPT);
    await pass(1);
    expect(await finder.seen()).toEqual(['degraded', LOST, 'shared_cache_hint']);
    finder.commits.stop();
  });
});
