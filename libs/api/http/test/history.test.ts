import type { HistoryPageBody, HistoryStreamBody } from '@carillon/history-reader';
import { MemoryHistoryStore, StoreFailure } from '@carillon/history-store';
import { describe, expect, it } from 'vitest';
import { openDurable } from './durable.js';
import { call, openScene, overriding, type Answered, type CallOptions, type Scene } from './scene.js';

const HISTORY = '/channels/orders/history';

async function publish(scene: Scene, count: number, more: object = {}): Promise<void> {
  for (let n = 1; n <= count; n += 1) {
    const { status } = await call(scene, 'POST', '/events', {
      name: `event-${n}`,
      channel: 'orders',
      data: { n },
      ...more,
    });
    expect(status).toBe(200);
  }
}

async function page(scene: Scene, query: CallOptions['query'] = {}): Promise<HistoryPageBody> {
  const { status, body } = await call(scene, 'GET', HISTORY, undefined, { query });
  expect(status).toBe(200);
  return body as HistoryPageBody;
}

const serials = ({ items }: HistoryPageBody): number[] => items.map(({ serial }) => serial);

async function state(scene: Scene): Promise<HistoryStreamBody> {
  const { body } = await call(scene, 'GET', `${HISTORY}/state`);
  return (body as { stream: HistoryStreamBody }).stream;
}

const confirmed = (operation: string, more: object = {}) => ({
  confirm_channel: 'orders',
  confirm_operation: operation,
  reason: 'test',
  ...more,
});

const event = (more: object = {}) => ({ name: 'e', channel: 'orders', data: 'd', ...more });

const away = () => Promise.reject(new StoreFailure('connection', 'away'));

const retryAfter = ({ headers }: Answered): string | null => headers.get('retry-after');

describe('the history of a channel', () => {
  it('has what was published, in order, in one stream', async () => {
    const scene = await openDurable();
    await publish(scene, 3);
    const whole = await page(scene, { direction: 'oldest_first' });
    expect(serials(whole)).toEqual([1, 2, 3]);
    expect(new Set(whole.items.map(({ stream_id: id }) => id)).size).toBe(1);
    expect(whole.items[0]).toMatchObject({
      event_name: 'event-1',
      operation_kind: 'append',
      message: { event: 'event-1', channel: 'orders', data: '{"n":1}', serial: 1 },
    });
    expect(whole.continuity).toMatchObject({ complete: true, retained_messages: 3 });
    expect(await state(scene)).toMatchObject({ next_serial: 4, state: { durable_state: 'healthy' } });
    expect(scene.sent.map(({ serial }) => serial)).toEqual([1, 2, 3]);
  });

  it('is empty, complete and without a stream before anything was published', async () => {
    const scene = await openDurable();
    expect(await page(scene)).toMatchObject({
      items: [],
      has_more: false,
      next_cursor: null,
      continuity: { stream_id: null, retained_messages: 0, complete: true, truncated_by_retention: false },
    });
    expect(await state(scene)).toMatchObject({ stream_id: null, next_serial: null });
  });

  it('is walked page by page, and what comes meanwhile is not met backwards', async () => {
    const scene = await openDurable();
    await publish(scene, 5);
    const first = await page(scene, { limit: '2' });
    await publish(scene, 1);
    const second = await page(scene, { limit: '2', cursor: first.next_cursor ?? '' });
    const third = await page(scene, { limit: '2', cursor: second.next_cursor ?? '' });
    expect([first, second, third].map(serials)).toEqual([[5, 4], [3, 2], [1]]);
    expect(third).toMatchObject({ has_more: false, next_cursor: null });
  });

  it('is read within bounds', async () => {
    const scene = await openDurable();
    await publish(scene, 4);
    expect(serials(await page(scene, { start_serial: '2', end_serial: '3' }))).toEqual([3, 2]);
    expect(await page(scene, { limit: '100000' })).toMatchObject({ limit: 100 });
  });

  it.each<Record<string, string>>([
    { limit: '0' },
    { limit: 'abc' },
    { direction: 'sideways' },
    { start_serial: '9', end_serial: '3' },
    { start_time_ms: '9', end_time_ms: '3' },
    { cursor: 'nonsense' },
    { cursor: 'a'.repeat(16_385) },
  ])('refuses %o', async (query) => {
    const scene = await openDurable();
    const { status, body } = await call(scene, 'GET', HISTORY, undefined, { query });
    expect([status, body]).toEqual([400, expect.objectContaining({ code: 'invalid_input' })]);
  });

  it('does not go on from a cursor of another walk', async () => {
    const scene = await openDurable();
    await publish(scene, 3);
    const { next_cursor: cursor } = await page(scene, { limit: '1' });
    const refused = async (path: string, query: Record<string, string>) =>
      (await call(scene, 'GET', path, undefined, { query: { limit: '1', cursor: cursor ?? '', ...query } }))
        .status;
    expect(await refused('/channels/other/history', {})).toBe(400);
    expect(await refused(HISTORY, { direction: 'oldest_first' })).toBe(400);
    expect(await refused(HISTORY, { start_serial: '1' })).toBe(400);
    await call(scene, 'POST', `${HISTORY}/reset`, confirmed('reset'));
    expect(await refused(HISTORY, {})).toBe(400);
  });

  it('has nothing of ephemeral events, which use up no serial', async () => {
    const scene = await openDurable();
    await publish(scene, 1);
    await publish(scene, 1, { extras: { ephemeral: true } });
    await publish(scene, 1);
    expect(serials(await page(scene))).toEqual([2, 1]);
    expect(scene.sockets.delivered).toHaveLength(1);
  });

  it('keeps no more than its cap, and says so', async () => {
    const scene = await openDurable({ env: { HISTORY_MAX_MESSAGES_PER_CHANNEL: '3' } });
    await publish(scene, 5);
    const whole = await page(scene);
    expect(serials(whole)).toEqual([5, 4, 3]);
    expect(whole.continuity).toMatchObject({ truncated_by_retention: true, complete: false });
  });

  it('is not there on any route where it is not enabled', async () => {
    const app = { id: 'shop', key: 'k', secret: 's', policy: { history: { enabled: false } } };
    const scene = await openDurable({ apps: [app] });
    await publish(scene, 1);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/state'],
      ['POST', '/reset'],
      ['POST', '/purge'],
    ] as const) {
      const { status, body } = await call(
        scene,
        method,
        `${HISTORY}${path}`,
        method === 'POST' ? {} : undefined,
      );
      expect([status, body]).toEqual([422, expect.objectContaining({ code: 'feature_disabled' })]);
    }
  });

  it('is out of reach, as is publishing to it, in a process without a way to it', async () => {
    const scene = await openScene({ env: { HISTORY_ENABLED: 'true', HISTORY_BACKEND: 'memory' } });
    expect(await call(scene, 'GET', HISTORY)).toMatchObject({ status: 503 });
  });

  it('is out of reach while its store is: nothing is answered in part, nobody gets anything', async () => {
    const store = overriding(new MemoryHistoryStore(), { heads: away, commit: away });
    const scene = await openDurable({ store });
    const read = await call(scene, 'GET', HISTORY);
    const sent = await call(scene, 'POST', '/events', { name: 'e', channel: 'orders', data: '' });
    expect([read.status, retryAfter(read)]).toEqual([503, '1']);
    expect([sent.status, retryAfter(sent)]).toEqual([503, '1']);
    expect([scene.sent, scene.sockets.delivered]).toEqual([[], []]);
  });
});

describe('a publish to a channel with a history', () => {
  it('tells its place where an answer tells anything', async () => {
    const scene = await openDurable();
    expect((await call(scene, 'POST', '/events', event())).body).toEqual({ ok: true });
    expect((await call(scene, 'POST', '/events', event({ message_id: 'm' }))).body).toEqual({
      channels: { orders: { acknowledgement_id: 'm', history_serial: 2 } },
    });
  });

  it('happens once for a key, and is a conflict for another content', async () => {
    const scene = await openDurable();
    const first = await call(scene, 'POST', '/events', event({ message_id: 'm' }));
    const again = await call(scene, 'POST', '/events', event({ message_id: 'm' }));
    expect(again.body).toEqual(first.body);
    const other = await call(scene, 'POST', '/events', event({ message_id: 'm', data: 'other' }));
    expect([other.status, other.body]).toEqual([409, expect.objectContaining({ code: 'conflict' })]);
    expect([scene.sent.length, serials(await page(scene))]).toEqual([1, [1]]);
  });

  it('needs no cache for that', async () => {
    const scene = await openDurable({ cache: (real) => overriding(real, { get: away, setIfAbsent: away }) });
    expect(await call(scene, 'POST', '/events', event({ message_id: 'm' }))).toMatchObject({ status: 200 });
    expect(await call(scene, 'POST', '/events', event({ message_id: 'm', channel: 'orders' }))).toMatchObject(
      {
        status: 200,
      },
    );
    expect(scene.sent).toHaveLength(1);
  });

  it('is told the same id on every repetition when it brought none', async () => {
    const scene = await openDurable();
    const keyed = event({ extras: { idempotencyKey: 'k' }, info: 'subscription_count' });
    const [first, again] = [
      await call(scene, 'POST', '/events', keyed),
      await call(scene, 'POST', '/events', keyed),
    ];
    expect(first.body).toMatchObject({ channels: { orders: { history_serial: 1 } } });
    expect(again.body).toEqual(first.body);
    expect(JSON.stringify(await page(scene))).not.toContain('idempotencyKey');
  });

  it('goes on in a batch from where it was', async () => {
    const scene = await openDurable();
    const batch = Array.from({ length: 4 }, (_, n) => event({ message_id: `m${n}` }));
    const { body } = await call(scene, 'POST', '/batch_events', { batch });
    expect(body).toMatchObject({ batch: [1, 2, 3, 4].map((n) => ({ history_serial: n })) });
    expect(scene.sent.map(({ message_id: id }) => id)).toEqual(['m0', 'm1', 'm2', 'm3']);
  });
});

describe('a reset', () => {
  it('begins anew, counted in order with publishes', async () => {
    const scene = await openDurable();
    await publish(scene, 2);
    const before = await state(scene);
    const { status, body } = await call(
      scene,
      'POST',
      `${HISTORY}/reset`,
      confirmed('reset', { requested_by: 'ops-2' }),
    );
    expect([status, body]).toEqual([
      200,
      {
        ok: true,
        operation: 'reset',
        channel: 'orders',
        reason: 'test',
        requested_by: 'ops-2',
        previous_stream_id: before.stream_id,
        new_stream_id: expect.not.stringMatching(before.stream_id ?? ''),
        purged_messages: 2,
        purged_bytes: before.retained.retained_bytes,
        stream: expect.objectContaining({ next_serial: 1 }),
      },
    ]);
    await publish(scene, 1);
    expect(serials(await page(scene))).toEqual([1]);
  });

  it('creates the stream of a channel that was never used', async () => {
    const scene = await openDurable();
    const { body } = await call(scene, 'POST', `${HISTORY}/reset`, confirmed('reset'));
    expect(body).toMatchObject({ previous_stream_id: null, purged_messages: 0, requested_by: null });
  });

  it.each([
    {},
    confirmed('purge'),
    confirmed('reset', { confirm_channel: 'other' }),
    confirmed('reset', { reason: ' \t' }),
    confirmed('reset', { reason: null }),
    confirmed('reset', { reason: 'é'.repeat(513) }),
    confirmed('reset', { requested_by: 'x'.repeat(257) }),
  ])('changes nothing when it is asked for as %o', async (body) => {
    const scene = await openDurable();
    await publish(scene, 1);
    const before = await state(scene);
    expect(await call(scene, 'POST', `${HISTORY}/reset`, body)).toMatchObject({ status: 400 });
    expect(await state(scene)).toEqual(before);
  });
});

describe('a purge', () => {
  it('removes what is below a serial and leaves the stream as it is', async () => {
    const scene = await openDurable();
    await publish(scene, 5);
    const before = await state(scene);
    const { body } = await call(
      scene,
      'POST',
      `${HISTORY}/purge`,
      confirmed('purge', { mode: 'before_serial', before_serial: 3 }),
    );
    expect(body).toMatchObject({
      operation: 'purge',
      mode: 'before_serial',
      before_serial: 3,
      before_time_ms: null,
      purged_messages: 2,
      stream: { stream_id: before.stream_id, next_serial: 6, retained: { oldest_available_serial: 3 } },
    });
    expect(serials(await page(scene))).toEqual([5, 4, 3]);
  });

  it('removes everything', async () => {
    const scene = await openDurable();
    await publish(scene, 2);
    const { body } = await call(scene, 'POST', `${HISTORY}/purge`, confirmed('purge', { mode: 'all' }));
    expect(body).toMatchObject({
      purged_messages: 2,
      stream: { next_serial: 3, retained: { retained_messages: 0 } },
    });
    expect(await page(scene)).toMatchObject({ items: [], continuity: { truncated_by_retention: true } });
  });

  it.each([
    {},
    { mode: 'some' },
    { mode: 'all', before_serial: 1 },
    { mode: 'before_serial' },
    { mode: 'before_serial', before_serial: 2, before_time_ms: 3 },
    { mode: 'before_serial', before_serial: 0 },
    { mode: 'before_time_ms', before_serial: 2 },
    { mode: 'before_time_ms', before_time_ms: '2' },
  ])('changes nothing when it is asked for as %o', async (more) => {
    const scene = await openDurable();
    await publish(scene, 1);
    expect(await call(scene, 'POST', `${HISTORY}/purge`, confirmed('purge', more))).toMatchObject({
      status: 400,
    });
    expect(serials(await page(scene))).toEqual([1]);
  });
});
