import type { Outlet } from '@carillon/realtime';
import type { Presence } from '@carillon/presence';
import { expect, it } from 'vitest';
import type { CompatConnection } from '../src/connection.js';
import type { Counted } from '../src/counted.js';
import { Members } from '../src/presence.js';
import type { FrameWriter } from '../src/frame-writer.js';
import type { Remaining } from '../src/remaining.js';

const MEMBERSHIP = { channel: 'room', userId: '1.2:ada', userInfoText: '{}' };
const PLACE = { appId: 'shop', channel: 'room', socketId: '1.2', userId: '1.2:ada' };

it.each([
  ['stay while it is there', true, false, []],
  ['stay for a while when it has gone meanwhile', false, false, [2000]],
  ['leave when it has ended for good meanwhile', false, true, [0]],
])('members of a connection that has come back %s', async (_title, isOpen, isOver, leases) => {
  const done: unknown[] = [];
  const presence = {
    join: async (one: object) => void done.push(['join', one]),
    leave: async (one: object, leaseMs: number) => void done.push(['leave', one, leaseMs]),
  } as unknown as Presence;
  const remaining = { back: async () => undefined } as unknown as Remaining;
  const connection = {
    id: '1.2',
    hub: { appId: 'shop' },
    members: new Map(),
    manner: { remainMs: 2000 },
    isOpen,
    isOver,
  } as unknown as CompatConnection;
  await new Members(presence, {} as Outlet, remaining, {} as Counted, {} as FrameWriter).keep(connection, [
    MEMBERSHIP,
  ]);
  expect(done).toEqual([
    ['join', { ...PLACE, userInfoText: '{}' }],
    ...leases.map((leaseMs) => ['leave', PLACE, leaseMs]),
  ]);
  expect(connection.members.get('room')?.get('ada')).toMatchObject({ userId: '1.2:ada' });
});
