import { expect } from 'vitest';
import type { Written } from './writers.js';

/** Removes the copies of events of channels without a history, which a kill may repeat. */
export const withoutCopies = (received: readonly string[]): readonly string[] => [...new Set(received)];

/**
 * Checks what one channel received: each committed event once, nothing else, call order and contiguity within a transaction,
 * and X before Y if the commit of X had returned before Y began.
 */
export function checkChannel(
  channel: string,
  written: readonly Written[],
  received: readonly string[],
): void {
  const ofChannel = written
    .map((one) => ({
      ...one,
      data: one.events.filter((event) => event.channel === channel).map((e) => e.data),
    }))
    .filter(({ data }) => data.length > 0);
  const expected = ofChannel.flatMap(({ data }) => data);
  expect([...received].toSorted()).toEqual([...expected].toSorted());
  const places = new Map(received.map((data, place) => [data, place]));
  const spans = ofChannel.map((one) => {
    const at = one.data.map((data) => places.get(data) ?? -1);
    // Contiguous and in call order.
    expect(at).toEqual(at.map((_, index) => (at[0] ?? 0) + index));
    return { ...one, at: at[0] ?? 0 };
  });
  const inOrder = spans.toSorted((a, b) => a.at - b.at);
  let latestBegin = -Infinity;
  for (const { beganAtMs, committedAtMs } of inOrder) {
    // Everything received before must not have begun after this one was committed.
    expect(latestBegin).toBeLessThanOrEqual(committedAtMs ?? Infinity);
    latestBegin = Math.max(latestBegin, beganAtMs);
  }
}
