import type { ConnectionKeys } from '@carillon/ably-core';
import type { Hub } from '@carillon/realtime';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CompatConnection } from '../src/connection.js';
import type { Counted } from '../src/counted.js';
import { Life } from '../src/life.js';
import type { Remaining } from '../src/remaining.js';
import type { FrameWriter } from '../src/frame-writer.js';
import { Sessions } from '../src/sessions.js';

const START_MS = 1_900_000_000_000;

beforeEach(() => void vi.useFakeTimers({ now: START_MS }));
afterEach(() => void vi.useRealTimers());

/** An idle connection and the frames it receives. */
function scene({
  beats = true,
  expiresMs = null as number | null,
  most = 100,
  taken = (): boolean => false,
} = {}) {
  const told: unknown[] = [];
  const refreshed: unknown[] = [];
  const hub = {
    admit: () => undefined,
    closed: () => true,
    onTrouble: () => undefined,
    hubs: { find: () => ({ subscriber: () => connection }) },
  };
  const sessions = new Sessions({} as ConnectionKeys);
  const life = new Life(
    hub as unknown as Hub,
    {
      say: (_: unknown, frame: object) => void told.push(frame),
      allLeave: async (_: unknown, leaseMs: number) => void told.push(`left in ${leaseMs}`),
    } as unknown as FrameWriter,
    sessions,
    {
      refresh: async (one: unknown) => {
        refreshed.push(one);
        return !taken();
      },
      end: async () => void told.push('key ended'),
    } as unknown as ConnectionKeys,
    { cut: async () => undefined } as unknown as Remaining,
    { share: () => void told.push('shared') },
    { opened: () => undefined, closed: () => undefined, tokenExpired: () => undefined } as unknown as Counted,
    most,
  );
  const topic = { toldMs: 0 };
  const connection = {
    isOpen: true,
    dueTick: 0,
    next: null,
    previous: null,
    toldMs: performance.now(),
    topics: () => [topic],
    manner: { beats, remainMs: 15_000 },
    members: new Map(),
    id: '1.2',
    keyHash: 'last',
    memberships: () => ['a member'],
    endedFor: null,
    isOver: false,
    hub: { signedIn: { add: () => true, remove: () => true } },
    principal: { clientId: 'ada', expiresMs },
    transport: { ping: () => void told.push('ping') },
    socket: {
      terminate: () => void told.push('terminated'),
      end: (code: number) => {
        told.push(code);
        Object.assign(connection, { isOpen: false });
      },
    },
  } as unknown as CompatConnection;
  life.begin(connection);
  return { life, sessions, told, refreshed, connection, topic };
}

it.each([
  ['a heartbeat', true, { action: 0 }],
  ['a ping where it wants no frames', false, 'ping'],
])('a silence brings %s within eight seconds, again and again (case 30)', (_title, beats, beat) => {
  const { life, told } = scene({ beats });
  for (const count of [1, 2, 3]) {
    vi.advanceTimersByTime(8000);
    expect(told.length).toBeGreaterThanOrEqual(count);
  }
  expect(told).toEqual(told.map(() => beat));
  life.stop();
  told.length = 0;
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([]);
});

it('who is told something else is told no beat, and has one in every silence (15.2)', () => {
  const { life, told, connection, topic } = scene();
  for (const one of [connection, topic, connection, topic]) {
    vi.advanceTimersByTime(7000);
    one.toldMs = performance.now();
  }
  expect(told).toEqual([]);
  vi.advanceTimersByTime(7400);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(300);
  expect(told).toEqual([{ action: 0 }]);
  vi.advanceTimersByTime(7700);
  expect(told).toHaveLength(2);
  life.stop();
});

it('a token is asked for before it ends, and who brings none is told to come again (case 48)', () => {
  const { life, told } = scene({ expiresMs: START_MS + 60_000 });
  const asked = (): number => told.filter((frame) => JSON.stringify(frame) === '{"action":17}').length;
  vi.advanceTimersByTime(29_900);
  expect(asked()).toBe(0);
  vi.advanceTimersByTime(300);
  expect(asked()).toBe(1);
  vi.advanceTimersByTime(29_700);
  expect([asked(), told.includes(1000)]).toEqual([1, false]);
  // At its time, and not at the next beat.
  vi.advanceTimersByTime(300);
  expect(told.slice(-2)).toEqual([
    { action: 6, error: expect.objectContaining({ code: 40_142, statusCode: 401 }) as unknown },
    1000,
  ]);
  life.stop();
});

it('another token counts from when it is brought, though it ends before the next beat', () => {
  const { life, told, connection } = scene({ expiresMs: START_MS + 600_000 });
  vi.advanceTimersByTime(1000);
  Object.assign(connection, { principal: { clientId: 'ada', expiresMs: START_MS + 3000 } });
  life.renewed(connection);
  vi.advanceTimersByTime(1900);
  expect(told).toEqual([]);
  vi.advanceTimersByTime(300);
  expect(told).toContain(1000);
  // One that comes too late changes nothing.
  life.renewed(connection);
  told.length = 0;
  vi.advanceTimersByTime(60_000);
  expect(told).toEqual([]);
  life.stop();
});

it('the key of a connection that is here stays good', async () => {
  const { life, refreshed, connection } = scene();
  await vi.advanceTimersByTimeAsync(120_000);
  expect(refreshed).toEqual([connection, connection]);
  life.stop();
});

it('one that has come back elsewhere, of which nobody here was told, ends without a word by its next refresh', async () => {
  let isTaken = false;
  const { life, told, connection } = scene({ taken: () => isTaken });
  Object.setPrototypeOf(connection, CompatConnection.prototype);
  await vi.advanceTimersByTimeAsync(60_000);
  told.length = 0;
  isTaken = true;
  await vi.advanceTimersByTimeAsync(59_000);
  told.length = 0;
  await vi.advanceTimersByTimeAsync(1000);
  // Its members remain for the resume period, but its state is not kept.
  expect(told).toEqual(['shared', 'left in 15000', 'terminated']);
  expect([life.connections.size, life.hasRoom(false)]).toEqual([0, true]);
  life.stop();
});

it('what is kept of a connection goes with who comes back elsewhere by its last key, once', () => {
  const { life, sessions } = scene();
  const member = { channel: 'room', userId: '1.2:ada', userInfoText: '{}' };
  sessions.park({ id: '1.2', keyHash: 'last', memberships: () => [member] } as unknown as CompatConnection);
  const taken = (keyHash: string): unknown => life.takenElsewhere('shop', { socketId: '1.2', keyHash });
  expect(['earlier', 'last', 'last'].map(taken)).toEqual([[], [member], []]);
  life.stop();
});

it.each([
  ['who was cut', null, false, ['shared', 'left in 15000'], ['a member']],
  ['who said goodbye', null, true, ['left in 0', 'key ended', { action: 8 }, 1000], []],
  ['whom the app has ended', 'disconnected_by_app' as const, false, ['left in 0', 'key ended'], []],
])('%s may come back, or not', (_title, endedFor, closes, said, kept) => {
  const { life, told, connection } = scene();
  connection.endedFor = endedFor;
  if (closes) life.endForGood(connection, 8);
  expect(life.connections.size).toBe(1);
  life.closed(connection, 1006);
  expect(told.slice(0, said.length)).toEqual(said);
  expect(life.connections.size).toBe(0);
  expect(life.takenElsewhere('shop', { socketId: '1.2', keyHash: 'last' })).toEqual(kept);
  life.stop();
});

it('nobody new is let in while too many members are to leave, until they have (23)', () => {
  const cut = (id: string) => {
    const { life: other, connection } = scene();
    other.stop();
    Object.assign(connection, { id, members: new Map([['room', new Map([['ada', {}]])]]) });
    return connection;
  };
  const { life } = scene({ most: 6 });
  const others = ['3.4', '5.6'].map(cut);
  for (const one of others) one.members.set('hall', new Map(['a', 'b'].map((id) => [id, {} as never])));
  for (const one of others) {
    expect(life.hasRoom(false)).toBe(true);
    life.begin(one);
    life.closed(one, 1006);
  }
  expect([false, true].map((comesBack) => life.hasRoom(comesBack))).toEqual([false, true]);
  // One is resumed, so that its members are no longer scheduled for removal.
  life.takenElsewhere('shop', { socketId: '3.4', keyHash: 'last' });
  expect(life.hasRoom(false)).toBe(true);
  const third = cut('7.8');
  third.members.set('hall', new Map(['a', 'b'].map((id) => [id, {} as never])));
  life.begin(third);
  life.closed(third, 1006);
  expect(life.hasRoom(false)).toBe(false);
  vi.advanceTimersByTime(15_000);
  expect(life.hasRoom(false)).toBe(true);
  life.stop();
});

it('there is room for so many, with those that may come back, who have theirs (23)', () => {
  const { life } = scene({ most: 2 });
  const { life: other, connection: cut } = scene();
  Object.assign(cut, { id: '3.4' });
  other.stop();
  const rooms = (): readonly boolean[] => [false, true].map((comesBack) => life.hasRoom(comesBack));
  expect(rooms()).toEqual([true, true]);
  life.begin(cut);
  expect(rooms()).toEqual([false, false]);
  life.closed(cut, 1006);
  expect(rooms()).toEqual([false, true]);
  life.stop();
});
