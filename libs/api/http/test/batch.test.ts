import { ServiceError } from '@carillon/errors';
import { describe, expect, it } from 'vitest';
import { call, openScene, publishBatch, refused, SHOP } from './scene.js';

const item = (channel: string, more: object = {}) => ({ name: 'e', channel, data: 'x', ...more });

describe('a batch', () => {
  it('is published in its order and answered with {} when nothing is asked', async () => {
    const scene = await openScene();
    const answer = await publishBatch(scene, [item('c'), item('a'), item('b')]);
    expect(answer).toMatchObject({ status: 200, text: '{}' });
    expect(scene.sockets.delivered.map(({ channel }) => channel)).toEqual(['c', 'a', 'b']);
  });

  it('keeps the digits and strings of each item', async () => {
    const scene = await openScene();
    const text =
      '{"batch":[ {"name":"e","channel":"a","data":{ "n":1.0, "s":"],{ \\"" }} ,{"name":"e","channel":"b","data":"]"}] }';
    expect(await call(scene, 'POST', '/batch_events', text)).toMatchObject({ status: 200 });
    expect(scene.sockets.frames('a')).toEqual([
      { event: 'e', channel: 'a', data: '{"n":1.0,"s":"],{ \\""}' },
    ]);
    expect(scene.sockets.frames('b')).toEqual([{ event: 'e', channel: 'b', data: ']' }]);
  });

  it('tells about the items that ask', async () => {
    const scene = await openScene();
    scene.sockets.counts = new Map([['b', 2]]);
    const { body } = await publishBatch(scene, [
      item('a'),
      item('b', { info: 'subscription_count' }),
      item('c'),
    ]);
    const acknowledgement_id = expect.any(String) as unknown;
    expect(body).toEqual({ batch: [{}, { acknowledgement_id, subscription_count: 2 }, {}] });
  });

  it('tells about the first channel of an item with several', async () => {
    const scene = await openScene();
    const several = { name: 'e', channels: ['x', 'y'], message_id: 'm' };
    expect((await publishBatch(scene, [several])).body).toEqual({ batch: [{ acknowledgement_id: 'm' }] });
    expect(scene.sockets.delivered.map(({ channel }) => channel)).toEqual(['x', 'y']);
  });

  it('without items is fine, without a list it is not', async () => {
    const scene = await openScene();
    expect(await publishBatch(scene, [])).toMatchObject({ status: 200, text: '{}' });
    expect(await publishBatch(scene, null)).toMatchObject(refused(400, 'invalid_input', 'batch is missing'));
    expect(await publishBatch(scene, {})).toMatchObject(refused(400, 'invalid_input'));
  });

  it.each<[unknown, number, string]>([
    [{ channel: 'a' }, 400, 'invalid_input'],
    [{ name: 'e' }, 400, 'missing_channel_info'],
    [{ name: 'n'.repeat(201), channel: 'a' }, 400, 'limit_exceeded'],
    ['text', 400, 'invalid_input'],
    [null, 400, 'invalid_input'],
    [[], 400, 'invalid_input'],
  ])('with a third item of %j publishes nothing and says which', async (third, status, code) => {
    const scene = await openScene();
    const answer = await publishBatch(scene, [item('a'), item('b'), third, item('c')]);
    expect(answer).toMatchObject(refused(status, code));
    expect(answer.text).toContain('batch[2]: ');
    expect(scene.sockets.delivered).toEqual([]);
  });

  it('longer than the app may send is refused whole', async () => {
    const scene = await openScene({ apps: [{ ...SHOP, policy: { limits: { max_event_batch_size: 2 } } }] });
    expect(await publishBatch(scene, [item('a'), item('b')])).toMatchObject({ status: 200 });
    expect(await publishBatch(scene, [item('a'), item('b'), item('c')])).toMatchObject(
      refused(400, 'limit_exceeded', '3 events given, at most 2 allowed'),
    );
    expect(scene.sockets.delivered).toHaveLength(2);
  });

  it('stops at the first item that fails, and what was before it stays', async () => {
    const published: string[] = [];
    const scene = await openScene({
      publisher: () => ({
        publish: async ({ channel }) => {
          await Promise.resolve();
          if (channel === 'b') throw new ServiceError('service_unavailable');
          published.push(channel);
          return { messageId: channel };
        },
      }),
    });
    const answer = await publishBatch(scene, [item('a'), item('b'), item('c')]);
    expect(answer).toMatchObject(refused(503, 'service_unavailable'));
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(published).toEqual(['a']);
  });
});
