import { randomUUID } from 'node:crypto';
import type { CommitRecordOf } from '@carillon/contracts';
import { describe, expect, it } from 'vitest';
import { wantedOf } from '../../src/index.js';
import { arrivalOf, publishOf, resetOf } from '../samples.js';
import { Scene } from './scene.js';

const markOf = (more: Partial<CommitRecordOf<'mark'>>): CommitRecordOf<'mark'> => ({
  ...resetOf('orders'),
  op: 'mark',
  pub_id: randomUUID(),
  node_id: 'gw-1',
  state: 'reset_required',
  reason: 'history_stream_regressed',
  ...more,
});

const wantedBy = (more: Parameters<typeof markOf>[0]) => wantedOf([arrivalOf(markOf(more))], 0);

describe('a stream that is said to have gone back', () => {
  it('has, when the record that was seen is another one now', async () => {
    const scene = new Scene();
    const ids = ['m-1', 'm-2', 'm-3'];
    await scene.results(...ids.map((message_id) => publishOf('orders', message_id, { message_id })));
    const claim = (seen: Parameters<typeof markOf>[0]) => scene.result(markOf(seen));
    const refused = { extra: { changed: false } };
    expect(await claim({ seen_delivery_serial: 2 })).toMatchObject(refused);
    expect(await claim({ seen_delivery_serial: 2, seen_message_id: 'm-2' })).toMatchObject(refused);
    expect(await claim({ seen_message_id: 'other' })).toMatchObject(refused);
    expect(await claim({ seen_history_serial: 3, seen_message_id: 'other' })).toMatchObject(refused);
    const ofAnother = { seen_stream_id: randomUUID() };
    expect(await claim({ ...ofAnother, seen_delivery_serial: 9, seen_message_id: 'other' })).toMatchObject(
      refused,
    );
    expect(await claim({ seen_delivery_serial: 3, seen_message_id: 'other' })).toMatchObject({
      extra: { changed: true },
    });
    expect(await scene.stream('orders')).toMatchObject({
      nextDeliverySerial: 4,
      durable: { state: 'reset_required', reason: 'history_stream_regressed' },
    });
  });

  it('is not read for that when nothing else is said', () => {
    expect(wantedBy({ seen_delivery_serial: 4 })).not.toHaveProperty('messageIdAt');
    expect(wantedBy({ seen_delivery_serial: 4, seen_message_id: 'm' })).toMatchObject({
      messageIdAt: 4,
      inspect: false,
    });
    expect(wantedOf([arrivalOf(publishOf('orders', '1'))], 0)).not.toHaveProperty('messageIdAt');
  });

  it('is not looked through, and one that is said to miss rows is, of whichever kind', () => {
    expect(wantedBy({ reason: 'history_serial_gap', stream: 'presence' }).inspect).toBe(true);
    expect(wantedBy({ reason: 'history_serial_gap' }).inspect).toBe(true);
    expect(wantedBy({ reason: null, state: 'healthy' }).inspect).toBe(true);
    expect(wantedBy({ reason: null, state: 'healthy', stream: 'presence' }).inspect).toBe(false);
    expect(wantedBy({}).inspect).toBe(false);
  });
});
