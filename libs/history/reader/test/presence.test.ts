import { MemoryHistoryStore, type PresenceEvent, type Stream, streamName } from '@carillon/history-store';
import { describe, expect, it } from 'vitest';
import { PresenceHistoryReader, readHistoryQuery, readSnapshotQuery } from '../src/index.js';
import { ListeningDesk } from './desks.js';
import { NOTHING, wantedOf } from './rows.js';

const NOW_MS = 1_760_000_000_000;
const ADDRESS = { appId: 'shop', channel: 'presence-room', kind: 'presence' } as const;

type Step = readonly [event: 'added' | 'updated' | 'removed', userId: string, more?: Partial<PresenceEvent>];

/** A presence channel with a history in memory. */
class Scene {
  readonly store = new MemoryHistoryStore();
  readonly desk = new ListeningDesk('refused');
  readonly reader = new PresenceHistoryReader(
    { store: this.store, now: () => NOW_MS, faults: this.desk },
    { timeoutMs: 1000, source: 'in_memory' },
  );

  page(parameters = {}) {
    return this.reader.page('shop', ADDRESS.channel, readHistoryQuery(parameters, 100));
  }

  snapshot(parameters = {}) {
    return this.reader.snapshot('shop', ADDRESS.channel, readSnapshotQuery(parameters));
  }

  /** Returns the current members. */
  async members(parameters = {}): Promise<string[]> {
    return (await this.snapshot(parameters)).members.map(({ user_id }) => user_id);
  }

  async write(steps: readonly Step[], change: Partial<Stream> = {}): Promise<this> {
    await this.store.commit(wantedOf(ADDRESS, NOW_MS), (found) => {
      const stream = found.streams.get(streamName(ADDRESS));
      if (stream === null || stream === undefined) throw new Error('no stream');
      const { streamKey, generation, nextHistorySerial } = stream;
      const presenceEvents = steps.map(([event, userId, more], index): PresenceEvent => ({
        streamKey,
        generation,
        serial: nextHistorySerial + index,
        atMs: NOW_MS + index,
        event: `member_${event}`,
        cause: event === 'removed' ? 'disconnect' : 'join',
        userId,
        connectionId: '811.22',
        deadNodeId: null,
        body: event === 'removed' ? 'null' : '{"n":"Al"}',
        bodySize: 10,
        keepUntilMs: NOW_MS + 1000,
        ...more,
      }));
      const next = nextHistorySerial + steps.length;
      const streams = [{ ...stream, nextHistorySerial: next, nextDeliverySerial: next, ...change }];
      return { changes: { ...NOTHING, streams, presenceEvents } };
    });
    return this;
  }
}

const STORY: readonly Step[] = [
  ['added', 'u2'],
  ['added', 'u1'],
  ['updated', 'u1'],
  ['removed', 'u2'],
  ['added', 'u2'],
];

describe('the history of presence', () => {
  it('is shown event by event', async () => {
    const scene = await new Scene().write([
      ['added', 'u1'],
      ['removed', 'u1'],
    ]);
    const page = await scene.page();
    const { stream_id } = page.stream_state;
    const added = {
      stream_id,
      serial: 1,
      published_at_ms: NOW_MS,
      event: 'member_added',
      cause: 'join',
      user_id: 'u1',
      connection_id: '811.22',
      dead_node_id: null,
    };
    expect(page.items[1]).toEqual({
      ...added,
      payload_size_bytes: 10,
      presence_event: { ...added, user_info: { n: 'Al' } },
    });
    expect(page.items[0]?.presence_event.user_info).toBeNull();
    expect(page).toMatchObject({
      direction: 'newest_first',
      limit: 100,
      has_more: false,
      next_cursor: null,
      continuity: {
        stream_id,
        oldest_available_serial: 1,
        newest_available_serial: 2,
        oldest_available_published_at_ms: NOW_MS,
        newest_available_published_at_ms: NOW_MS + 1,
        retained_events: 2,
        retained_bytes: 20,
        degraded: false,
        complete: true,
        truncated_by_retention: false,
      },
      stream_state: { durable_state: 'healthy', continuity_proven: true, reset_required: false },
    });
    expect(page.stream_state).not.toHaveProperty('recovery_allowed');
  });

  it('is walked in pages', async () => {
    const scene = await new Scene().write(STORY);
    const first = await scene.page({ limit: '2' });
    expect(first.items.map(({ serial }) => serial)).toEqual([5, 4]);
    expect(first.continuity.complete).toBe(false);
    const second = await scene.page({ limit: '9', cursor: String(first.next_cursor) });
    expect(second.items.map(({ serial }) => serial)).toEqual([3, 2, 1]);
    await expect(
      scene.page({ direction: 'forward', cursor: String(first.next_cursor) }),
    ).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('is empty and healthy of a channel that was never used', async () => {
    const scene = new Scene();
    expect(await scene.page()).toMatchObject({ items: [], continuity: { complete: true, stream_id: null } });
    expect(await scene.snapshot()).toMatchObject({
      members: [],
      snapshot_serial: null,
      snapshot_time_ms: null,
    });
    expect(await scene.reader.state('shop', ADDRESS.channel)).toMatchObject({
      stream_id: null,
      next_serial: null,
      state: { durable_state: 'healthy' },
    });
  });

  it('is shown but not called complete while it is not healthy, and gives no snapshot', async () => {
    const durable = {
      state: 'degraded',
      reason: 'presence_history_write_failed',
      nodeId: 'n',
      changedAtMs: 1,
    };
    const scene = await new Scene().write(STORY, { durable } as Partial<Stream>);
    expect(await scene.page()).toMatchObject({
      continuity: { degraded: true, complete: false },
      stream_state: { durable_state: 'degraded', continuity_proven: false },
    });
    await expect(scene.snapshot()).rejects.toMatchObject({ code: 'service_unavailable' });
  });
});

describe('a snapshot of presence', () => {
  it('is the fold of the events up to its moment', async () => {
    const scene = await new Scene().write(STORY);
    expect(await scene.snapshot()).toMatchObject({
      channel: ADDRESS.channel,
      members: [
        { user_id: 'u1', last_event: 'member_updated', last_event_serial: 3, last_event_at_ms: NOW_MS + 2 },
        { user_id: 'u2', last_event: 'member_added', last_event_serial: 5, last_event_at_ms: NOW_MS + 4 },
      ],
      member_count: 2,
      events_replayed: 5,
      snapshot_serial: 5,
      snapshot_time_ms: NOW_MS + 4,
      continuity: { complete: true, truncated_by_retention: false },
    });
    expect((await scene.snapshot()).continuity).not.toHaveProperty('degraded');
    expect(await scene.members({ at_serial: '1' })).toEqual(['u2']);
    expect(await scene.members({ at_serial: '4' })).toEqual(['u1']);
    expect(await scene.members({ at_serial: '99' })).toEqual(['u1', 'u2']);
    expect(await scene.members({ at: String(NOW_MS + 3) })).toEqual(['u1']);
    expect(await scene.members({ at: String(NOW_MS + 3), at_serial: '3' })).toEqual(['u1', 'u2']);
    expect(await scene.members({ at_time_ms: '5' })).toEqual([]);
    await expect(scene.snapshot().then(() => scene.members({ at_serial: 'x' }))).rejects.toMatchObject({
      code: 'invalid_input',
    });
  });

  it('is taken over more events than are read at once', async () => {
    const steps = Array.from({ length: 1203 }, (_, index): Step => [
      'added',
      `u${String(index).padStart(5, '0')}`,
    ]);
    const scene = await new Scene().write(steps);
    expect(await scene.snapshot()).toMatchObject({ member_count: 1203, events_replayed: 1203 });
  });

  it.each([
    ['removes a member', [['removed', 'u1']]],
    ['updates a member', [['updated', 'u1']]],
    [
      'adds a member',
      [
        ['added', 'u1'],
        ['added', 'u1'],
      ],
    ],
    [
      'is missing',
      [
        ['added', 'u1'],
        ['added', 'u2', { serial: 3 }],
      ],
    ],
  ] satisfies [string, Step[]][])('is refused when an event %s and should not', async (anomaly, steps) => {
    const scene = await new Scene().write(steps, { nextHistorySerial: 9 });
    await expect(scene.snapshot()).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining(anomaly),
    });
    expect(scene.desk.found).toEqual([]);
    expect((await scene.page()).items).toHaveLength(steps.length);
  });

  it('takes events as they are when those before have expired', async () => {
    const scene = await new Scene().write([
      ['added', 'u1', { keepUntilMs: NOW_MS }],
      ['updated', 'u1'],
      ['removed', 'u9'],
    ]);
    expect(await scene.snapshot()).toMatchObject({
      members: [{ user_id: 'u1' }],
      continuity: { complete: false, truncated_by_retention: true, oldest_available_serial: 2 },
    });
  });

  it('takes events as they are when a time is given', async () => {
    const scene = await new Scene().write([
      ['removed', 'u1'],
      ['added', 'u2'],
    ]);
    expect(await scene.members({ at: String(NOW_MS + 9) })).toEqual(['u2']);
  });
});
