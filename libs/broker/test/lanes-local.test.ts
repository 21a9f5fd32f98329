import type { FanOutRecordBody } from '@carillon/contracts';
import { describe, expect, it } from 'vitest';
import { LocalBroker } from '../src/index.js';
import { record } from './lanes-conformance.js';
import { Gateway } from './samples.js';

const LANE = { use: 'commit', lane: 0 } as const;

describe('lanes of one process', () => {
  it('are function calls', async () => {
    const { lanes } = new LocalBroker('n-1', () => {});
    expect(await lanes.call(LANE, '{"v":1}', 1000)).toEqual({ kind: 'no_responder' });
    await lanes.serve(LANE, async (text) => `{"heard":${text}}`);
    expect(await lanes.call(LANE, '{"v":1}', 1000)).toEqual({ kind: 'reply', text: '{"heard":{"v":1}}' });
    await lanes.stopServing(LANE);
    expect(await lanes.call(LANE, '{"v":1}', 1000)).toEqual({ kind: 'no_responder' });
  });

  it('are silent when there is no answer in time, or the handler fails', async () => {
    const { lanes } = new LocalBroker('n-1', () => {});
    await lanes.serve(LANE, async () => null);
    expect(await lanes.call(LANE, '{"v":1}', 10)).toEqual({ kind: 'silent' });
    await lanes.stopServing(LANE);
    await lanes.serve(LANE, () => Promise.reject(new Error('a bug')));
    expect(await lanes.call(LANE, '{"v":1}', 10)).toEqual({ kind: 'silent' });
  });

  it('hand records to the listener, whose faults are reported', async () => {
    const faults: unknown[] = [];
    const broker = new LocalBroker('n-1', (_, error) => faults.push(error));
    const received: FanOutRecordBody[] = [];
    const gateway = new Gateway(broker);
    await broker.lanes.handOver(record(1));
    Object.assign(gateway, { deliverRecord: (one: FanOutRecordBody) => received.push(one) });
    await broker.lanes.handOver(record(2));
    expect(received).toEqual([record(2)]);
    const fault = new Error('a bug');
    Object.assign(gateway, {
      deliverRecord: () => {
        throw fault;
      },
    });
    await broker.lanes.handOver(record(3));
    expect(faults).toEqual([fault]);
  });
});
