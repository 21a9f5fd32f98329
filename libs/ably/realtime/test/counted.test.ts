import { CompatError, RuntimeCounters } from '@carillon/ably-core';
import type { Showing } from '@carillon/realtime';
import { expect, it } from 'vitest';
import type { CompatConnection } from '../src/connection.js';
import { Continuity } from '../src/continuity.js';
import { Counted } from '../src/counted.js';

const NO_SUMMARIES = { add: async () => undefined };

/** A connection with only the counted properties. */
const connection = (more: object = {}): CompatConnection =>
  ({
    hub: { appId: 'shop' },
    attachments: new Map(),
    endedFor: null,
    ...more,
  }) as unknown as CompatConnection;

function scene() {
  const counters = new RuntimeCounters();
  const levels: unknown[] = [];
  const statistics = { level: (...told: unknown[]) => void levels.push(told) };
  const counted = new Counted({ counters, statistics } as unknown as ConstructorParameters<
    typeof Counted
  >[0]);
  return { counters, counted, levels };
}

const reads = (more: object) => ({
  showing: {
    channel: { name: 'c', hub: { appId: 'shop' }, about: { policy: { history: { rewindEnabled: true } } } },
    attach: { standing: { streamId: 's', serial: 7 }, attachSerial: 7 },
    ...more,
  } as unknown as Showing,
  attach: { channelSerial: null, rewind: null } as unknown as Parameters<Continuity['since']>[1],
});

it('operators are told of connections that had too much waiting, each once', () => {
  const { counters, counted, levels } = scene();
  const flooded = connection({ endedFor: 'over_capacity' });
  for (const one of [connection({ endedFor: 'closed' }), flooded]) {
    counted.opened(one);
    counted.closed(one);
    counted.closed(one);
  }
  // One that was refused before it was connected was never counted.
  counted.closed(connection({ endedFor: 'over_capacity' }));
  expect(counters.values.overflow).toBe(1);
  expect(levels).toEqual([1, -1, 1, -1].map((by) => ['shop', 'connections', by]));
});

it('operators are told of clients that came too late, and of tokens that ended', () => {
  const { counters, counted } = scene();
  counted.cameBack(null);
  counted.cameBack(new CompatError(80_018, 'no key'));
  expect(counters.values).toMatchObject({ recovery_backend_calls: 2, expiry: 0 });
  counted.cameBack(new CompatError(80_008, 'too late'));
  counted.tokenExpired();
  expect(counters.values).toMatchObject({ recovery_backend_calls: 3, expiry: 2 });
});

it('operators are told of refusals that are no fault of who asked', () => {
  const { counters, counted } = scene();
  for (const code of [40_000, 40_160, 42_911, 80_008]) counted.refused(new CompatError(code, 'asked'));
  expect(counters.values.backend_failure).toBe(0);
  for (const code of [50_000, 50_003, 90_000]) counted.refused(new CompatError(code, 'away'));
  expect(counters.values.backend_failure).toBe(3);
});

it('operators are told of channels of which it is not known where they stand', async () => {
  const { counters } = scene();
  const { showing, attach } = reads({ attach: undefined });
  const continuity = new Continuity({} as never, null, 100, counters, NO_SUMMARIES);
  await expect(continuity.since(showing, attach)).rejects.toMatchObject({ code: 50_003 });
  const goesOn = { ...attach, channelSerial: 's:1' };
  expect(await continuity.since(showing, goesOn)).toMatchObject({ isProven: false, position: null });
  expect(counters.values.degraded_state).toBe(2);
});

it('operators are told how often what was kept is read, and how often that fails', async () => {
  const { counters } = scene();
  const { showing, attach } = reads({});
  const rewinds = { ...attach, rewind: { count: 2, sinceMs: null } };
  let isAway = false;
  const past = async () => {
    if (isAway) throw new Error('away');
    return { messages: [] };
  };
  const continuity = new Continuity({} as never, { past } as never, 100, counters, NO_SUMMARIES);
  expect(await continuity.since(showing, rewinds)).toMatchObject({ error: null });
  isAway = true;
  expect((await continuity.since(showing, rewinds)).error).not.toBeNull();
  expect(counters.values).toMatchObject({ recovery_backend_calls: 2, backend_failure: 1 });
});
