import type { HistoryPageBody } from '@carillon/history-reader';
import { type Changes, type Found, MemoryHistoryStore, type Wanted } from '@carillon/history-store';
import { describe, expect, it } from 'vitest';
import { openDurable } from './durable.js';
import { call, publishBatch, refused, type Scene } from './scene.js';

/** Counts transactions. */
class CountingStore extends MemoryHistoryStore {
  commits = 0;

  override commit<Decision extends { readonly changes: Changes }>(
    wanted: Wanted,
    decide: (found: Found) => Decision,
  ): Promise<Decision> {
    this.commits += 1;
    return super.commit(wanted, decide);
  }
}

const item = (name: string, more: object = {}) => ({ name, channel: 'orders', data: 'x', ...more });

async function namesIn(scene: Scene, channel = 'orders'): Promise<(string | null)[]> {
  const { body } = await call(scene, 'GET', `/channels/${channel}/history`, undefined, {
    query: { direction: 'oldest_first' },
  });
  return (body as HistoryPageBody).items.map(({ event_name: name }) => name);
}

describe('a batch for channels with a history', () => {
  it('is committed together, in its order', async () => {
    const store = new CountingStore();
    const scene = await openDurable({ store });
    const names = Array.from({ length: 40 }, (_, index) => `event-${index}`);
    expect(
      await publishBatch(
        scene,
        names.map((name) => item(name)),
      ),
    ).toMatchObject({ status: 200, text: '{}' });
    expect(await namesIn(scene)).toEqual(names);
    expect(scene.sent.map(({ serial }) => serial)).toEqual(names.map((_, index) => index + 1));
    expect(store.commits).toBe(1);
  });

  it('tells the serials of those that ask', async () => {
    const scene = await openDurable();
    const { body } = await publishBatch(scene, [
      item('one'),
      item('two', { message_id: 'm-2' }),
      item('three', { channel: 'other', message_id: 'm-3' }),
    ]);
    expect(body).toEqual({
      batch: [
        {},
        { acknowledgement_id: 'm-2', history_serial: 2 },
        { acknowledgement_id: 'm-3', history_serial: 1 },
      ],
    });
  });

  it('ends at the first that is refused, whichever lane it is in', async () => {
    const scene = await openDurable();
    await publishBatch(scene, [item('taken', { message_id: 'm' })]);
    const answer = await publishBatch(scene, [
      item('one'),
      item('two', { channel: 'other' }),
      item('not what m was', { message_id: 'm' }),
      item('three', { channel: 'other' }),
      item('four'),
    ]);
    expect(answer).toMatchObject(refused(409, 'conflict'));
    expect((answer.body as { error: string }).error).toMatch(/^batch\[2\]: /);
    expect(await namesIn(scene)).toEqual(['taken', 'one']);
    expect(await namesIn(scene, 'other')).toEqual(['two']);
  });

  it('keeps its order through events that leave nothing, have keys or go to several channels', async () => {
    const scene = await openDurable();
    const batch = [
      item('one'),
      item('two', { extras: { ephemeral: true } }),
      item('three', { idempotency_key: 'k' }),
      item('four'),
      item('five', { message_id: 'm' }),
      item('again', { idempotency_key: 'k' }),
      { name: 'six', channels: ['orders', 'other'], data: 'x' },
      item('seven'),
    ];
    expect(await publishBatch(scene, batch)).toMatchObject({ status: 200 });
    expect(await namesIn(scene)).toEqual(['one', 'three', 'four', 'five', 'six', 'seven']);
    expect(await namesIn(scene, 'other')).toEqual(['six']);
    expect(scene.sockets.delivered).toHaveLength(1);
  });
});
