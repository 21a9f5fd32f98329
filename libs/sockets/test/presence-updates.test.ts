import type { Outlet } from '@carillon/realtime';
import type { Presence } from '@carillon/presence';
import type { FrameError } from '@carillon/protocol';
import { Capabilities } from '@carillon/auth';
import { expect, it, vi } from 'vitest';
import type { Connection } from '../src/connection/connection.js';
import { PresenceUpdates } from '../src/v2/presence-updates.js';

it('counts the updates of so many channels of a connection, and forgets those whose second is over', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const refused: number[] = [];
  const updates = new PresenceUpdates({
    presence: { update: async () => true } as unknown as Presence,
    outlet: { error: (_: unknown, { code }: FrameError) => refused.push(code) } as unknown as Outlet,
    maxPerSecond: 1,
    onTrouble: () => undefined,
  });
  const connection = {
    id: '1.1',
    hub: { appId: 'shop' },
    subscriptions: { get: () => ({ userId: 'ada' }) },
    capabilities: Capabilities.NONE,
  } as unknown as Connection;
  const update = async (n: number): Promise<void> =>
    updates.handle(connection, { kind: 'presence-update', channel: `presence-${n}`, userInfoText: '1' });
  for (let n = 0; n < 1000; n += 1) await update(n);
  expect(refused).toEqual([]);
  await update(1000);
  expect(refused).toEqual([4301]);
  vi.advanceTimersByTime(1000);
  await update(1000);
  await update(1);
  await update(1);
  expect(refused).toEqual([4301, 4301]);
  vi.useRealTimers();
});
