import { describe, expect, it } from 'vitest';
import { readArrival } from '../../src/index.js';
import { keyed, POLICY, publishOf, purgeOf, resetOf, type Transition, transitionOf } from '../samples.js';
import { Scene } from './scene.js';

const key = (content: string) => ({ idem: keyed('orders', 'k', content) });

describe('a publish', () => {
  it('is fanned out with its position spliced into the very text that was sent', async () => {
    const scene = new Scene();
    const record = publishOf('orders', '', {
      message: '{"event":"e", "data" : "x\\u0041" }  ',
      except_socket: '8.1',
    });
    const { verdicts } = await scene.batch([record]);
    const { streamId } = await scene.stream('orders');
    expect(verdicts[0]?.fanOut).toMatchObject({
      op: 'publish',
      serial: 1,
      history_serial: 1,
      stream_id: streamId,
      except_socket: '8.1',
      message: `{"event":"e", "data" : "x\\u0041" ,"stream_id":"${streamId}","serial":1}`,
    });
  });

  it('never goes back in time when the clock does', async () => {
    const scene = new Scene();
    const first = await scene.result(publishOf('orders', '1'));
    scene.nowMs -= 10_000;
    const second = await scene.result(publishOf('orders', '2'));
    expect(second.published_at_ms).toBe(first.published_at_ms);
  });

  it('on a cache channel is remembered as the newest one', async () => {
    const scene = new Scene();
    await scene.results(
      publishOf('cache-a', '1'),
      publishOf('cache-a', '2', { policy: { ...POLICY, cache: true } }),
      publishOf('cache-a', '3'),
    );
    expect(await scene.stream('cache-a')).toMatchObject({ lastCacheSerial: 2, nextDeliverySerial: 4 });
  });

  it('with a known key is answered from the first, and refused with other content', async () => {
    const scene = new Scene();
    const first = await scene.result(publishOf('orders', 'a', key('a')));
    expect(
      await scene.results(publishOf('orders', 'a', key('a')), publishOf('orders', 'b', key('b'))),
    ).toMatchObject([
      {
        status: 'duplicate',
        delivery_serial: 1,
        stream_id: first.stream_id,
        published_at_ms: first.published_at_ms,
      },
      { status: 'rejected', code: 'conflict', http_status: 409 },
    ]);
    scene.nowMs += 120_000;
    expect(await scene.result(publishOf('orders', 'b', key('b')))).toMatchObject({
      status: 'applied',
      delivery_serial: 2,
    });
  });

  it('that nobody may have seen is named for being sent again', async () => {
    const scene = new Scene();
    const record = publishOf('orders', 'a');
    await scene.batch([record]);
    const { verdicts } = await scene.batch([record]);
    expect(verdicts[0]).toMatchObject({ result: { status: 'applied' }, fanOut: null, again: { serial: 1 } });
  });

  it('ends its chain when it is rejected, and nothing else', async () => {
    const scene = new Scene();
    await scene.result(publishOf('orders', 'a', key('a')));
    const { verdicts } = await scene.batch(
      [publishOf('orders', '1'), publishOf('orders', 'b', key('b')), publishOf('other', '2')],
      { broken: false },
    );
    expect(verdicts.map(({ result }) => result?.status)).toEqual(['applied', 'rejected', 'skipped']);
    expect(await scene.stream('orders')).toMatchObject({ nextHistorySerial: 3 });
  });

  it.each([
    ['no JSON', '{"event":'],
    ['a list', '["event"]'],
    ['no event', '{"data":"x"}'],
    ['a position of its own', '{"event":"e","serial":9}'],
    ['a NUL behind an escape', '{"event":"a\\u0000b"}'],
    ['half a character behind an escape', '{"event":"\\ud800"}'],
    ['a NUL', '{"event":"a\0b"}'],
  ])('with %s is the publisher’s mistake', (_name, message) => {
    expect(readArrival(publishOf('orders', '', { message }), null)).toMatchObject({
      ok: false,
      result: { status: 'rejected', code: 'invalid_input', http_status: 400 },
    });
  });
});

const withKey = () => publishOf('orders', 'a', { idem: keyed('orders', 'key', 'a') });

describe('control of a stream', () => {
  it('reset starts at 1 under another id and tells what was there', async () => {
    const scene = new Scene();
    const [first] = await scene.results(publishOf('orders', 'a'), publishOf('orders', 'b'));
    const { verdicts } = await scene.batch([resetOf('orders')]);
    const { streamId } = await scene.stream('orders');
    expect(streamId).not.toBe(first?.stream_id);
    expect(verdicts[0]).toMatchObject({
      result: {
        extra: { previous_stream_id: first?.stream_id, new_stream_id: streamId, purged_messages: 2 },
      },
      fanOut: { op: 'reset', old_stream_id: first?.stream_id, stream_id: streamId },
    });
    expect(await scene.result(publishOf('orders', 'c'))).toMatchObject({
      delivery_serial: 1,
      stream_id: streamId,
    });
  });

  it('a key from before a reset belongs to a new message, a resend of the same record to the old one', async () => {
    const scene = new Scene();
    const old = withKey();
    const before = await scene.result(old);
    await scene.result(resetOf('orders'));
    const { streamId } = await scene.stream('orders');
    expect(await scene.result(withKey())).toMatchObject({
      status: 'applied',
      stream_id: streamId,
      delivery_serial: 1,
    });
    expect(await scene.history('orders')).toHaveLength(1);
    expect(await scene.result(withKey())).toMatchObject({ status: 'duplicate' });
    expect(before).toMatchObject({ status: 'applied', delivery_serial: 1 });
  });

  it('a repeated key is answered alike when caps have long taken its row', async () => {
    const scene = new Scene();
    const policy = { ...POLICY, max_messages: 1 };
    const keyedPublish = () => ({ ...withKey(), policy });
    const first = await scene.result(keyedPublish());
    for (let n = 0; n < 200; n += 1) await scene.result(publishOf('orders', String(n), { policy }));
    const { streamKey, generation } = await scene.stream('orders');
    const gone = { streamKey, generation, fromSerial: 1, toSerial: 1, limit: 1 };
    expect(await scene.store.range(gone)).toEqual([]);
    const { pub_id: _pubId, status: _status, ...place } = first;
    expect(await scene.result(keyedPublish())).toMatchObject({ ...place, status: 'duplicate' });
  });

  it('reset and purge tell what could be read, not what retention had hidden', async () => {
    const policy = { ...POLICY, max_messages: 3 };
    for (const end of [resetOf('orders'), purgeOf('orders', { mode: 'all' })]) {
      const scene = new Scene();
      await scene.results(...[1, 2, 3, 4, 5].map((n) => publishOf('orders', String(n), { policy })));
      const shown = await scene.store.retained(await scene.stream('orders'), scene.nowMs);
      expect(await scene.result(end)).toMatchObject({
        extra: { purged_messages: 3, purged_bytes: shown.bytes },
      });
      expect(await scene.stream('orders')).toMatchObject({ retainedMessages: 0, retainedBytes: 0 });
    }
  });

  it('reset of an unused channel makes it, purge does not', async () => {
    const scene = new Scene();
    const { verdicts } = await scene.batch([purgeOf('a', { mode: 'all' })]);
    expect(verdicts).toMatchObject([{ result: { extra: { purged_messages: 0 } }, fanOut: null }]);
    expect((await scene.store.heads([{ appId: 'shop', channel: 'a', kind: 'messages' }])).size).toBe(0);
    expect(await scene.result(resetOf('a'))).toMatchObject({ extra: { previous_stream_id: null } });
  });

  it('purge raises the floor only, and gateways are told', async () => {
    const scene = new Scene();
    await scene.results(...[1, 2, 3, 4, 5].map((n) => publishOf('orders', String(n))));
    const { streamId } = await scene.stream('orders');
    const { verdicts } = await scene.batch([purgeOf('orders', { mode: 'before_serial', before_serial: 3 })]);
    expect(verdicts).toMatchObject([{ fanOut: { op: 'purge', channel: 'orders', stream_id: streamId } }]);
    expect(await scene.stream('orders')).toMatchObject({
      streamId,
      nextHistorySerial: 6,
      floorHistorySerial: 3,
      floorDeliverySerial: 1,
      retainedMessages: 3,
    });
    expect((await scene.history('orders')).map(({ serial }) => serial)).toEqual([3, 4, 5]);
    await scene.result(purgeOf('orders', { mode: 'before_serial', before_serial: 2 }));
    expect(await scene.stream('orders')).toMatchObject({ floorHistorySerial: 3, retainedMessages: 3 });
  });

  it('a mark is taken over only if it is so', async () => {
    const scene = new Scene();
    await scene.results(publishOf('orders', 'a'));
    const mark = { ...resetOf('orders'), op: 'mark', node_id: 'gw-1', state: 'reset_required' } as const;
    const claim = (reason: string, seen: number) =>
      scene.result({ ...mark, pub_id: publishOf('', '').pub_id, reason, seen_delivery_serial: seen });
    expect(await claim('history_serial_gap', 9)).toMatchObject({ extra: { changed: false } });
    expect(await claim('history_stream_regressed', 1)).toMatchObject({ extra: { changed: false } });
    expect(await claim('history_stream_regressed', 8)).toMatchObject({ extra: { changed: true } });
    expect(await scene.stream('orders')).toMatchObject({
      nextDeliverySerial: 9,
      durable: { state: 'reset_required', reason: 'history_stream_regressed', nodeId: 'gw-1' },
    });
    expect(await scene.result(publishOf('orders', 'b'))).toMatchObject({ delivery_serial: 9 });
  });
});

const joins = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) =>
    transitionOf('presence-a', `u${from + index}`, 'member_added'),
  );

const named = (index: number) => `${'x'.repeat(10_000)}${index}`;

const statuses = (scene: Scene, ...records: Parameters<Scene['results']>) =>
  scene.results(...records).then((results) => results.map((result) => result?.extra));

describe('presence history', () => {
  it('counts the whole event as it is shown', async () => {
    const scene = new Scene();
    await scene.result(transitionOf('presence-a', 'u1', 'member_added'));
    const stream = await scene.stream('presence-a', 'presence');
    const bounds = { fromSerial: null, toSerial: null, fromMs: null, toMs: null, limit: 9 };
    const query = { stream, nowMs: scene.nowMs, newestFirst: false, ...bounds };
    const [event] = await scene.store.presenceEvents(query);
    const shown = {
      stream_id: stream.streamId,
      serial: event?.serial,
      published_at_ms: event?.atMs,
      event: event?.event,
      cause: event?.cause,
      user_id: event?.userId,
      connection_id: event?.connectionId,
      user_info: JSON.parse(event?.body ?? 'null'),
      dead_node_id: event?.deadNodeId,
    };
    expect(event?.bodySize).toBe(Buffer.byteLength(JSON.stringify(shown)));
    expect(stream.retainedBytes).toBe(event?.bodySize);
  });

  it('keeps joins, every update and leaves, each once', async () => {
    const scene = new Scene();
    const events = [
      'member_added',
      'member_updated',
      'member_updated',
      'member_removed',
      'member_added',
    ] as const;
    expect(
      await statuses(scene, ...events.map((event) => transitionOf('presence-a', 'u1', event))),
    ).toMatchObject([1, 2, 3, 4, 5].map((serial) => ({ serial })));
    expect(
      await statuses(
        scene,
        transitionOf('presence-a', 'u1', 'member_added'),
        transitionOf('presence-a', 'u2', 'member_removed'),
      ),
    ).toEqual([null, null]);
    expect(await scene.stream('presence-a', 'presence')).toMatchObject({ nextHistorySerial: 6 });
  });

  it('is told with who is there after every thousandth event, in whatever batches they come', async () => {
    const scene = new Scene();
    const { changes: before } = await scene.batch(joins(0, 998));
    expect(before.presenceCheckpoints).toEqual([]);
    const { changes } = await scene.batch([
      transitionOf('presence-a', 'u0', 'member_removed'),
      transitionOf('presence-a', 'u0', 'member_removed'),
      transitionOf('presence-a', 'u1', 'member_updated'),
      ...joins(2000, 2004),
    ]);
    const [checkpoint, ...others] = changes.presenceCheckpoints;
    expect(others).toEqual([]);
    expect(checkpoint).toMatchObject({ serial: 1000, keepUntilMs: scene.nowMs + 86_400_000 });
    const members = new Map(checkpoint?.members.map((member) => [member.userId, member]));
    expect(members.size).toBe(997);
    expect(members.get('u1')).toEqual({
      userId: 'u1',
      event: 'member_updated',
      serial: 1000,
      atMs: scene.nowMs,
    });
    expect(members.has('u0') || members.has('u2000')).toBe(false);
  });

  it('has no checkpoint of a crowd that is too large for one, and has one when it is not any more', async () => {
    const scene = new Scene();
    const move = (event: Transition['event'], count: number) =>
      scene.batch(
        Array.from({ length: count }, (_, index) => transitionOf('presence-a', named(index), event)),
      );
    expect((await move('member_added', 1000)).changes.presenceCheckpoints).toEqual([]);
    expect((await move('member_removed', 1000)).changes.presenceCheckpoints).toMatchObject([
      { serial: 2000, members: [] },
    ]);
  });

  it('drops what was overtaken, and takes an update of nobody for a join', async () => {
    const scene = new Scene();
    const { changes } = await scene.batch([
      transitionOf('presence-a', 'u1', 'member_updated', { transition_no: 5 }),
      transitionOf('presence-a', 'u1', 'member_removed', { transition_no: 4 }),
      transitionOf('presence-a', 'u1', 'member_added', { transition_no: 7 }),
      transitionOf('presence-a', 'u1', 'member_removed', { transition_no: 6 }),
    ]);
    expect(changes.presenceEvents.map(({ event }) => event)).toEqual(['member_added']);
    expect(changes.presenceMembers).toMatchObject([{ present: true, lastNo: 7 }]);
  });
});
