import type { StoredPublish } from '@carillon/push-store';
import { array, assert, constantFrom, nat, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  isForbidden,
  isOver,
  moved,
  NO_COUNTS,
  settled,
  stateOf,
  withCounts,
} from '../src/pipeline/lifecycle.js';

const publish = (more: Partial<StoredPublish> = {}): StoredPublish => ({
  appId: 'shop',
  publishId: 'p',
  state: 'dispatching',
  counters: NO_COUNTS,
  planningComplete: true,
  fanoutRegime: 'fastPath',
  retryAfterMs: null,
  errorReason: null,
  createdMs: 0,
  updatedMs: 0,
  ...more,
});

describe('the state of a publish', () => {
  it.each([
    [{ planned: 0 }, 'succeeded'],
    [{ planned: 2, succeeded: 1 }, null],
    [{ planned: 2, succeeded: 2 }, 'succeeded'],
    [{ planned: 2, succeeded: 1, failed: 1 }, 'partiallySucceeded'],
    [{ planned: 2, expired: 1, failed: 1 }, 'expired'],
    [{ planned: 2, deadLettered: 1, failed: 1 }, 'dead_lettered'],
    [{ planned: 1, failed: 1 }, 'failed'],
  ])('of %j is %s', (counts, state) => {
    expect(stateOf({ ...NO_COUNTS, ...counts })).toBe(state);
  });

  it('does not depend on the order of results, and is over when all are in', () => {
    const results = array(constantFrom('succeeded', 'failed', 'expired', 'deadLettered'), { minLength: 1 });
    assert(
      property(results, nat(), (all, seed) => {
        const turned = [...all.slice(seed % all.length), ...all.slice(0, seed % all.length)];
        const end = (order: readonly string[]) =>
          order.reduce(
            (one, name) => withCounts(one, { [name]: 1 }, 1),
            publish({ counters: { ...NO_COUNTS, planned: all.length } }),
          );
        expect(end(turned).state).toBe(end(all).state);
        expect(isOver(end(all))).toBe(true);
        expect(
          isOver(withCounts(publish({ counters: { ...NO_COUNTS, planned: all.length + 1 } }), {}, 1)),
        ).toBe(false);
      }),
    );
  });

  it('never leaves the end but for another end', () => {
    for (const state of ['cancelled', 'succeeded', 'failed', 'quota_exceeded'] as const) {
      expect(moved(publish({ state }), 'dispatching', 1).state).toBe(state);
    }
    expect(settled(publish({ state: 'cancelled' })).state).toBe('cancelled');
    const late = withCounts(
      publish({ state: 'succeeded', counters: { ...NO_COUNTS, planned: 1, succeeded: 1 } }),
      { failed: 1 },
      1,
    );
    expect(late.state).toBe('partiallySucceeded');
    expect(settled(publish({ planningComplete: false })).state).toBe('dispatching');
  });

  it('is told from what should be impossible, which a repeated hand-over is not', () => {
    expect(isForbidden('queued', 'throttled')).toBe(true);
    expect(isForbidden('dispatching', 'failed')).toBe(true);
    for (const [from, to] of [
      ['planning', 'dispatching'],
      ['planning', 'planning'],
      ['dispatching', 'planning'],
      ['succeeded', 'dispatching'],
      ['throttled', 'dispatching'],
    ] as const) {
      expect([from, to, isForbidden(from, to)]).toEqual([from, to, false]);
    }
  });
});
