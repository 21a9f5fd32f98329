import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { kafkaQueueNames } from '../src/drivers/kafka/names.js';
import { assignPartitions, type Member } from '../src/drivers/kafka/sticky-assigner.js';

const partitionsOf = (count: number) => Array.from({ length: count }, (_, partition) => partition);
const member = (id: string, busy: readonly number[] = [], isDraining = false): Member => ({
  id,
  isDraining,
  busy: busy.map((partition) => ({ topic: 't', partition })),
});

describe('assignPartitions', () => {
  it('assigns each partition once and spreads them evenly over active members', () => {
    const members = fc.uniqueArray(
      fc.record({ id: fc.string({ minLength: 1 }), busy: fc.array(fc.nat(12)), isDraining: fc.boolean() }),
      { selector: ({ id }) => id, minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 12 }), members, (count, list) => {
        const all = list.map(({ id, busy, isDraining }) => member(id, busy, isDraining));
        const assigned = assignPartitions('t', partitionsOf(count), all);
        expect([...assigned.values()].flat().toSorted((one, other) => one - other)).toEqual(
          partitionsOf(count),
        );
        const active = all.filter(({ isDraining }) => !isDraining);
        for (const { id } of active) {
          expect(assigned.get(id)?.length).toBeLessThanOrEqual(Math.ceil(count / active.length));
        }
      }),
    );
  });

  it('keeps partitions with running jobs at their members', () => {
    const assigned = assignPartitions('t', partitionsOf(8), [member('new'), member('old', [1, 4, 6])]);
    expect(assigned.get('old')).toEqual(expect.arrayContaining([1, 4, 6]));
    expect(assigned.get('new')).toHaveLength(4);
  });

  it('leaves a draining member its partitions with running jobs only', () => {
    const assigned = assignPartitions('t', partitionsOf(8), [member('going', [2], true), member('staying')]);
    expect(assigned.get('going')).toEqual([2]);
    expect(assigned.get('staying')).toHaveLength(7);
  });

  it('ignores running jobs of other topics', () => {
    const other: Member = { id: 'a', isDraining: false, busy: [{ topic: 'u', partition: 0 }] };
    expect(assignPartitions('t', [0], [other, member('b', [0])]).get('b')).toEqual([0]);
  });
});

describe('kafkaQueueNames', () => {
  it('maps no two queues to one topic, nor to topics that differ in . and _ only', () => {
    const queues = [
      'a',
      'a.dlq',
      'a.retry',
      'a.dlq.dlq',
      'a-2Edlq',
      'a.b',
      'a_b',
      'a-b',
      'A',
      'é',
      'x'.repeat(500),
    ];
    const names = queues.flatMap((queue) => {
      const { topic, retry, dead } = kafkaQueueNames('p', queue);
      return [topic, retry, dead];
    });
    expect(new Set(names.map((name) => name.replaceAll('_', '.'))).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Za-z0-9._-]{1,249}$/);
    expect(kafkaQueueNames('service_queue', 'push.publish.v1')).toEqual({
      topic: 'service_queue.queue.push.publish.v1',
      retry: 'service_queue.queue.push.publish.v1.retry',
      dead: 'service_queue.queue.push.publish.v1.dlq',
      group: 'service_queue.queue-workers.push.publish.v1',
    });
  });
});
