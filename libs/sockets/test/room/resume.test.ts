import type { WireFormat } from '@carillon/protocol';
import { describe, expect, it, vi } from 'vitest';
import { ClientV2 } from './client-v2.js';
import { joined, outcomeOf, publish, RECOVERY, SUCCEEDED, told } from './resuming.js';
import { openRoom } from './room.js';

const FORMATS: readonly WireFormat[] = ['json', 'messagepack', 'protobuf'];
describe.each(FORMATS)('a resume in %s', (format) => {
  it('brings what was missed, says so, and then goes on live', async () => {
    const room = await openRoom({ env: RECOVERY });
    const { streamId } = await joined(room, 'orders', format);
    publish(room, 'orders', 'a', 'b', 'c', 'd');
    const { client } = await joined(room, 'orders', format);
    await client.heard();
    client.send('service:resume', { channel_positions: { orders: { stream_id: streamId, serial: 1 } } });
    const success = await client.until('service:resume_success');
    publish(room, 'orders', 'e');
    expect(outcomeOf(client, success)).toEqual({
      recovered: [
        {
          channel: 'orders',
          source: 'hot',
          replayed: 3,
          position: { stream_id: streamId, serial: 4, last_message_id: 'd' },
        },
      ],
      failed: [],
    });
    expect(told(await client.heard())).toEqual(['b 2', 'c 3', 'd 4', 'resume_success', 'e 5']);
    expect(await room.metric('history_recovery_success_total', { source: 'hot' })).toBe(1);
  });

  it('of a position that is none any more fails before its first message, and is told twice', async () => {
    const room = await openRoom({ env: { ...RECOVERY, CONNECTION_RECOVERY_MAX_BUFFER_SIZE: '3' } });
    const { client, streamId } = await joined(room, 'a', format);
    await joined(room, 'b', format);
    client.subscribe('b');
    await client.until(SUCCEEDED);
    publish(room, 'a', '1', '2', '3', '4');
    await client.heard();
    const positions = {
      a: { stream_id: streamId, serial: 0 },
      b: { stream_id: 'another', serial: 0 },
      '[meta]a': { stream_id: 'x', serial: 1 },
    };
    client.send('service:resume', { channel_positions: positions });
    const success = await client.until('service:resume_success');
    const { recovered, failed } = outcomeOf(client, success);
    expect(recovered).toEqual([]);
    expect(failed.map(({ channel, code, reason }) => [channel, code, reason]).toSorted()).toEqual([
      ['[meta]a', 'continuity_unverifiable', 'durable_stream_head_unavailable'],
      ['a', 'position_expired', 'recovery_window_exceeded'],
      ['b', 'stream_reset', 'stream_id_mismatch'],
    ]);
    const frames = await client.heard();
    expect(told(frames)).toEqual(['resume_failed', 'resume_failed', 'resume_failed', 'resume_success']);
    const first = frames.find(({ event, channel }) => event === 'service:resume_failed' && channel === 'a');
    expect(first === undefined ? null : JSON.parse(client.text(first))).toEqual({
      channel: 'a',
      code: 'position_expired',
      reason: 'recovery_window_exceeded',
      expected_stream_id: streamId,
      current_stream_id: streamId,
      oldest_available_serial: null,
      newest_available_serial: 4,
    });
    client.send('service:resume', { channel_positions: { a: { stream_id: streamId, serial: 5 } } });
    const ahead = outcomeOf(client, await client.until('service:resume_success'));
    expect(ahead.failed[0]).toMatchObject({
      code: 'continuity_unverifiable',
      reason: 'position_ahead_of_durable_stream',
    });
  });
});

describe('a resume', () => {
  it('at the head misses nothing, by whatever form it is asked', async () => {
    const room = await openRoom({ env: RECOVERY });
    const { client, streamId } = await joined(room, 'orders');
    publish(room, 'orders', 'a');
    await client.heard();
    for (const data of [
      { channel_positions: { orders: { stream_id: streamId, serial: '1', last_message_id: 'a' } } },
      JSON.stringify({ channel_positions: { orders: { serial: 1 } } }),
      { channel_serials: { orders: 1 } },
    ]) {
      client.send('service:resume', data);
      const { recovered } = outcomeOf(client, await client.until('service:resume_success'));
      expect(recovered).toMatchObject([{ replayed: 0, source: 'hot', position: { serial: 1 } }]);
    }
    client.send('service:resume', { channel_serials: { orders: 0 } });
    expect(outcomeOf(client, await client.until('service:resume_success')).recovered).toMatchObject([
      { replayed: 1 },
    ]);
  });

  it('needs nothing but the memory of the gateway, also where nobody had the channel meanwhile', async () => {
    const room = await openRoom({ env: RECOVERY });
    const range = vi.spyOn(room.replay, 'range');
    const { client: first, streamId } = await joined(room, 'orders');
    first.close();
    await room.settled(0);
    publish(room, 'orders', 'a', 'b');
    const { client, serial } = await joined(room, 'orders');
    expect(serial).toBe(2);
    client.send('service:resume', { channel_positions: { orders: { stream_id: streamId, serial: 0 } } });
    await client.until('service:resume_success');
    expect(told(client.frames)).toEqual(['a 1', 'b 2', 'resume_success']);
    expect(range).not.toHaveBeenCalled();
  });

  it('skips the message that the client says it has', async () => {
    const room = await openRoom({ env: RECOVERY });
    const { client, streamId } = await joined(room, 'orders');
    publish(room, 'orders', 'a', 'b', 'c');
    await client.heard();
    const position = { stream_id: streamId, serial: 1, last_message_id: 'b' };
    client.send('service:resume', { channel_positions: { orders: position } });
    await client.until('service:resume_success');
    expect(told(client.frames)).toEqual(['c 3', 'resume_success']);
  });

  it('is refused with what is wrong with it', async () => {
    const room = await openRoom({ env: RECOVERY });
    const client = await ClientV2.connect(room.port, 'json');
    const many = Object.fromEntries(Array.from({ length: 1001 }, (_, n) => [`c${n}`, 1]));
    for (const [data, code] of [
      [{}, 4000],
      [{ channel_positions: [] }, 4000],
      [{ channel_positions: { a: { serial: -1 } } }, 4000],
      [{ channel_positions: {} }, 4302],
      [{ channel_serials: many }, 4302],
    ] as const) {
      client.send('service:resume', data);
      expect(client.value(await client.until('service:error'))).toMatchObject({ code });
    }
    const off = await openRoom();
    const other = await ClientV2.connect(off.port, 'json');
    other.send('service:resume', { channel_serials: { a: 1 } });
    expect(other.value(await other.until('service:error'))).toMatchObject({ code: 4301 });
    const old = await room.connect();
    old.send('pusher:resume', { data: { channel_serials: { a: 1 } } });
    expect((await old.until('pusher:error'))?.data).toMatchObject({ code: 4301 });
  });

  it.each(['private-x', 'orders'])(
    'before its subscription waits for it when the channel is %s',
    async (name) => {
      const room = await openRoom({ env: RECOVERY });
      const { streamId } = await joined(room, name);
      publish(room, name, 'a', 'b');
      const client = await ClientV2.connect(room.port, 'json');
      client.send('service:resume', {
        channel_positions: { [name]: { stream_id: streamId, serial: 1 } },
      });
      const first = outcomeOf(client, await client.until('service:resume_success'));
      expect(first).toEqual({ recovered: [], failed: [] });
      publish(room, name, 'c');
      expect(told(await client.heard())).toEqual(['resume_success']);
      client.subscribe(name);
      const second = outcomeOf(client, await client.until('service:resume_success'));
      expect(second.recovered).toMatchObject([{ channel: name, replayed: 2, position: { serial: 3 } }]);
      publish(room, name, 'd');
      expect(told(await client.heard())).toEqual(['b 2', 'c 3', 'resume_success', 'd 4']);
    },
  );

  it('whose subscription does not come is told so', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    try {
      const room = await openRoom({ env: RECOVERY });
      const client = await ClientV2.connect(room.port, 'json');
      client.send('service:resume', { channel_serials: { 'private-x': 1 } });
      await client.until('service:resume_success');
      vi.advanceTimersByTime(29_000);
      expect(told(await client.heard())).toEqual(['resume_success']);
      vi.advanceTimersByTime(1001);
      const failed = JSON.parse(client.text(await client.until('service:resume_failed'))) as object;
      expect(failed).toMatchObject({ code: 'continuity_unverifiable', reason: 'not_subscribed' });
    } finally {
      vi.useRealTimers();
    }
  });

  it('gives what the filter lets through, and stands at the end of all', async () => {
    const room = await openRoom({ env: { ...RECOVERY, TAG_FILTERING_ENABLED: 'true' } });
    const filter = { filter: { key: 'region', cmp: 'eq', val: 'eu' } };
    const { client, streamId } = await joined(room, 'orders', 'json', filter);
    for (const region of ['eu', 'us', 'eu', 'us'])
      void room.publish('orders', region, { tagsText: JSON.stringify({ region }), messageId: region });
    await client.heard();
    client.send('service:resume', { channel_positions: { orders: { stream_id: streamId, serial: 0 } } });
    const { recovered } = outcomeOf(client, await client.until('service:resume_success'));
    expect(recovered).toMatchObject([{ replayed: 2, position: { serial: 4 } }]);
    expect(told(client.frames)).toEqual(['eu 1', 'eu 3', 'resume_success']);
  });

  it('fails where what is needed is too old or was never kept', async () => {
    const room = await openRoom({ env: { ...RECOVERY, CONNECTION_RECOVERY_MAX_BUFFER_SIZE: '10' } });
    const { client, streamId } = await joined(room, 'orders');
    publish(room, 'orders', 'a', 'b');
    await client.heard();
    await room.replay.renew({ appId: 'shop', channel: 'orders' }, streamId ?? '');
    publish(room, 'orders', 'c');
    await client.until('news');
    client.send('service:resume', { channel_positions: { orders: { stream_id: streamId, serial: 1 } } });
    const { failed } = outcomeOf(client, await client.until('service:resume_success'));
    expect(failed).toMatchObject([{ code: 'stream_reset', expected_stream_id: streamId }]);
    expect(await room.metric('history_recovery_failures_total', { code: 'stream_reset' })).toBe(1);
  });

  it('of two at one time is answered twice, one after the other', async () => {
    const room = await openRoom({ env: RECOVERY });
    const { client, streamId } = await joined(room, 'a');
    publish(room, 'a', '1', '2');
    await client.heard();
    for (const serial of [0, 1])
      client.send('service:resume', { channel_positions: { a: { stream_id: streamId, serial } } });
    await client.until('service:resume_success');
    await client.until('service:resume_success');
    expect(told(client.frames)).toEqual(['1 1', '2 2', 'resume_success', '2 2', 'resume_success']);
  });

  it("is understood from clients that speak another vendor's words", async () => {
    const room = await openRoom({ env: { ...RECOVERY, PROTOCOL_VENDOR_PREFIX: 'acme' } });
    const client = await ClientV2.connect(room.port, 'json', '', 'acme');
    client.send('acme:subscribe', { channel: 'orders' });
    const { streamId } = await client.until('acme_internal:subscription_succeeded');
    publish(room, 'orders', 'a');
    client.send('acme:resume', { channel_positions: { orders: { stream_id: streamId, serial: 0 } } });
    expect(outcomeOf(client, await client.until('acme:resume_success')).recovered).toHaveLength(1);
  });
});

it('replays what was missed before the last event of a cache channel, which does not come twice', async () => {
  const room = await openRoom({ env: RECOVERY });
  const { streamId } = await joined(room, 'cache-a');
  for (const id of ['a', 'b', 'c']) await room.publish('cache-a', id, { messageId: id });
  const client = await ClientV2.connect(room.port, 'json');
  client.send('service:resume', { channel_positions: { 'cache-a': { stream_id: streamId, serial: 1 } } });
  await client.until('service:resume_success');
  client.frames.splice(0);
  client.subscribe('cache-a');
  await client.until('service:resume_success');
  expect(told(await client.heard())).toEqual(['b 2', 'c 3', 'resume_success']);
});
