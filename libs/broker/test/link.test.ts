import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Link } from '../src/cluster/link.js';
import { type Session, SessionLost, type Wire } from '../src/cluster/wire.js';
import { MemoryBroker } from './memory-broker.js';

/** Outages that clients survive: after 10 s without a broker they are disconnected. */
const SHORT_OUTAGES_MS = [200, 1000, 1700, 3600, 4900, 7600, 8200];

describe('the link to a broker that was away', () => {
  beforeEach(() => vi.useFakeTimers({ now: 0 }));
  afterEach(() => vi.useRealTimers());

  for (const outageMs of SHORT_OUTAGES_MS)
    it(`is there again soon after ${outageMs} ms, before clients have to be sent away`, async () => {
      const backAfterMs = await backAfter(outageMs);
      expect(backAfterMs).toBeGreaterThanOrEqual(outageMs);
      expect(backAfterMs).toBeLessThan(Math.min(outageMs * 1.2 + 600, 10_000));
    });

  it('asks less and less often for one that stays away, and every 10 s in the end', async () => {
    const attempts = await attemptsWithin(600_000);
    const pauses = attempts.slice(1).map((at, index) => at - (attempts[index] ?? 0));
    expect(pauses.toSorted((a, b) => a - b)).toEqual(pauses);
    expect(pauses.at(-1)).toBe(10_000);
    expect(attempts.length).toBeLessThan(80);
  });
});

const ignore = (): void => {};

/** When a link has a session again that was lost at 0, with a broker that is back after so long. */
async function backAfter(outageMs: number): Promise<number> {
  const { opened } = await lostAtZero(outageMs);
  await vi.advanceTimersByTimeAsync(60_000);
  return opened[1] ?? Number.NaN;
}

/** When a link tries to have a session again that was lost at 0. */
async function attemptsWithin(durationMs: number): Promise<readonly number[]> {
  const { attempts } = await lostAtZero(Number.POSITIVE_INFINITY);
  await vi.advanceTimersByTimeAsync(durationMs);
  return [0, ...attempts.slice(1)];
}

/** A link whose session was lost at time 0. */
async function lostAtZero(
  outageMs: number,
): Promise<{ readonly opened: number[]; readonly attempts: number[] }> {
  const wire = new MemoryBroker().wire();
  const [opened, attempts]: [number[], number[]] = [[], []];
  const awayFor: Wire = {
    names: wire.names,
    open: async (listener): Promise<Session> => {
      attempts.push(Date.now());
      if (attempts.length > 1 && Date.now() < outageMs) throw new SessionLost('away');
      return wire.open(listener);
    },
  };
  const link: Link = new Link(awayFor, {
    opened: () => opened.push(Date.now()),
    lost: ignore,
    failed: ignore,
    message: ignore,
    dropped: ignore,
  });
  link.start();
  await vi.advanceTimersByTimeAsync(0);
  const { session } = link;
  if (session === null) throw new Error('no first session');
  link.fail(session, 'the broker went away');
  return { opened, attempts };
}
