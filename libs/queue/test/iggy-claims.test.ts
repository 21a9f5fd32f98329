import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { claimRecord, decodeClaimRecord, encodeClaimRecord } from '../src/drivers/iggy/claim-record.js';
import { ClaimStates } from '../src/drivers/iggy/claim-states.js';
import { iggyQueueNames } from '../src/drivers/iggy/names.js';

const LEASE_MS = 100;
const WORKERS = ['one', 'two', 'three'];

const steps = fc.array(
  fc.record({
    worker: fc.constantFrom(...WORKERS),
    kind: fc.constantFrom('claim', 'claim', 'done', 'renew', 'release'),
    offset: fc.nat(12),
    serial: fc.nat(3),
    begun: fc.boolean(),
    afterMs: fc.constantFrom(0, 10, 60, 150),
  }),
  { maxLength: 80 },
);

type Step = typeof steps extends fc.Arbitrary<readonly (infer Value)[]> ? Value : never;

const recordOf = ({ worker, kind, offset, serial, begun }: Step) => {
  const key = [offset, serial] as const;
  return claimRecord(worker, LEASE_MS, {
    ...(kind === 'claim' ? { claim: [offset] } : {}),
    ...(kind === 'done' ? { done: [key] } : {}),
    ...(kind === 'renew' ? { renew: [key] } : {}),
    ...(kind === 'release' ? { release: [[offset, serial, begun]] } : {}),
  });
};

/** Applies all steps from `start` on. */
function applied(list: readonly Step[], start = 0, low = 0): ClaimStates {
  const states = new ClaimStates(start);
  states.settleBelow(low);
  let nowMs = 0;
  for (const [log, step] of list.entries()) {
    nowMs += step.afterMs;
    if (log >= start) states.apply(recordOf(step), log, nowMs);
  }
  return states;
}

const viewOf = (states: ClaimStates) =>
  Array.from({ length: 13 }, (_, offset) => [states.isSettled(offset), states.of(offset)]);

describe('ClaimStates', () => {
  it('gives a job to one worker at a time', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const states = new ClaimStates(0);
        const held = new Map<number, { worker: string; untilMs: number }>();
        const settled = new Set<number>();
        let nowMs = 0;
        for (const [log, step] of list.entries()) {
          nowMs += step.afterMs;
          const { won, accepted } = states.apply(recordOf(step), log, nowMs);
          const holder = held.get(step.offset);
          for (const [offset] of won) {
            expect(settled.has(offset)).toBe(false);
            expect(holder === undefined || holder.untilMs < nowMs).toBe(true);
            held.set(offset, { worker: step.worker, untilMs: nowMs + LEASE_MS });
          }
          for (const [offset] of accepted) {
            expect(holder?.worker).toBe(step.worker);
            if (step.kind === 'renew') held.set(offset, { worker: step.worker, untilMs: nowMs + LEASE_MS });
            else held.delete(offset);
            if (step.kind === 'done') settled.add(offset);
          }
        }
        for (let offset = 0; offset < 13; offset += 1)
          expect(states.isSettled(offset)).toBe(settled.has(offset));
      }),
    );
  });

  it('is computed again from its start by a worker that begins later', () => {
    fc.assert(
      fc.property(steps, (list) => {
        const states = applied(list);
        const later = applied(list, states.start, states.low);
        expect(viewOf(later)).toEqual(viewOf(states));
        expect(later.low).toBe(states.low);
      }),
    );
  });

  it('counts the delivery of a claim that expired, and not that of a job that was not begun', () => {
    const states = new ClaimStates(0);
    states.apply(claimRecord('one', LEASE_MS, { claim: [0] }), 0, 0);
    states.apply(claimRecord('two', LEASE_MS, { claim: [0] }), 1, LEASE_MS + 1);
    expect(states.of(0)).toMatchObject({ owner: 'two', count: 2, serial: 2 });
    states.apply(claimRecord('two', LEASE_MS, { release: [[0, 2, false]] }), 2, LEASE_MS + 2);
    expect(states.of(0)).toMatchObject({ owner: null, count: 1 });
  });
});

describe('claim records', () => {
  it('are read as they were written', () => {
    const record = claimRecord('one', LEASE_MS, {
      claim: [1],
      done: [[2, 3]],
      release: [[4, 5, true]],
      low: 1,
    });
    expect(decodeClaimRecord(encodeClaimRecord(record))).toEqual(record);
  });

  it('of strangers are ignored', () => {
    for (const text of [
      '',
      'x',
      'carillon-claims/1 {',
      'carillon-claims/1 {}',
      'carillon-claims/9 {"id":"a"}',
    ])
      expect(decodeClaimRecord(text)).toBeNull();
  });
});

describe('iggyQueueNames', () => {
  it('maps no two queues to one topic, and keeps to 255 bytes', () => {
    const queues = ['a', 'A', 'a-dlq', 'a-claims', 'a_2Ddlq', 'a.b', 'a_b', 'é', 'x'.repeat(500)];
    const names = queues.flatMap((queue) => {
      const { topic, claims, dead } = iggyQueueNames('p'.repeat(128), 'c', queue);
      return [topic, claims, dead];
    });
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[\w.-]{1,255}$/);
    expect(iggyQueueNames('service-queue', 'service-workers', 'push.publish.v1')).toEqual({
      topic: 'service-queue-push.publish.v1',
      claims: 'service-queue-push.publish.v1-claims',
      dead: 'service-queue-push.publish.v1-dlq',
      consumer: 'service-workers-push.publish.v1',
    });
  });
});
