import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { PresenceEvent } from '../src/port.js';
import {
  joined,
  leaseEnded,
  left,
  updated,
  type Lease,
  type Transition,
  type UserState,
} from '../src/transitions.js';
import { as, brief, LOBBY } from './samples.js';

const lease: Lease = { ...LOBBY, userId: 'ada', cause: 'connection_lost', endsAtMs: 20 };
const anotherLease: Lease = { ...lease };
const member = { userId: 'ada', userInfoText: '"old"', socketId: '1.1' };
const absent = null;
const connected: UserState = { kind: 'connected', member, connections: 1 };
const connectedTwice: UserState = { kind: 'connected', member, connections: 2 };
const leased: UserState = { kind: 'leased', member, lease };
const parting: UserState = { kind: 'leased', member: { ...member, userInfoText: '"bye"' }, lease };
const anew = as('ada', '1.1', { info: 'new' });
const renewed = { userId: 'ada', userInfoText: '"new"', socketId: '1.1' };

const EVENTS = {
  'a new connection': (state: UserState) => joined(state, anew, false),
  'the same connection again': (state: UserState) => joined(state, anew, true),
  'a connection goes, without lease': (state: UserState) => left(state, anew, true, 'left', null),
  'a connection goes, with lease': (state: UserState) => left(state, anew, true, 'left', lease),
  'a connection goes with last words': (state: UserState) => left(state, anew, true, 'left', null, '"bye"'),
  'a connection goes with last words, with lease': (state: UserState) =>
    left(state, anew, true, 'left', lease, '"bye"'),
  'an unknown connection goes': (state: UserState) => left(state, anew, false, 'left', null),
  'an unknown connection goes, with lease': (state: UserState) => left(state, anew, false, 'left', lease),
  'an update': (state: UserState) => updated(state, anew, true),
  'an update of an unknown connection': (state: UserState) => updated(state, anew, false),
  'the lease ends': (state: UserState) => leaseEnded(state, lease),
  'another lease ends': (state: UserState) => leaseEnded(state, anotherLease),
} satisfies Record<string, (state: UserState) => Transition>;
type EventName = keyof typeof EVENTS;

const toConnected = (connections: number, who = member): UserState => ({
  kind: 'connected',
  member: who,
  connections,
});
const added: PresenceEvent = { kind: 'added', ...LOBBY, member: renewed, socketId: '1.1' };
const changed: PresenceEvent = { kind: 'updated', ...LOBBY, member: renewed, socketId: '1.1' };
const removed = (cause: 'left' | 'connection_lost', userInfoText = '"old"'): PresenceEvent => ({
  kind: 'removed',
  ...LOBBY,
  userId: 'ada',
  userInfoText,
  cameBy: '1.1',
  cause,
});

/** Everything that does something; every other pair of state and event must do nothing. */
const EFFECTS: readonly [UserState, EventName, Transition][] = [
  [absent, 'a new connection', { next: toConnected(1, renewed), change: added }],
  [connected, 'a new connection', { next: toConnected(2, renewed), change: null }],
  [connectedTwice, 'a new connection', { next: toConnected(3, renewed), change: null }],
  [leased, 'a new connection', { next: toConnected(1, renewed), change: null }],
  [connected, 'a connection goes, without lease', { next: null, change: removed('left') }],
  [connected, 'a connection goes, with lease', { next: leased, change: null }],
  [connectedTwice, 'a connection goes, without lease', { next: connected, change: null }],
  [connectedTwice, 'a connection goes, with lease', { next: connected, change: null }],
  [connected, 'a connection goes with last words', { next: null, change: removed('left', '"bye"') }],
  [connectedTwice, 'a connection goes with last words', { next: connected, change: null }],
  [connected, 'a connection goes with last words, with lease', { next: parting, change: null }],
  [connectedTwice, 'a connection goes with last words, with lease', { next: connected, change: null }],
  [connected, 'an update', { next: toConnected(1, renewed), change: changed }],
  [connectedTwice, 'an update', { next: toConnected(2, renewed), change: changed }],
  [leased, 'the lease ends', { next: null, change: removed('connection_lost') }],
];

const STATES = { absent, connected, connectedTwice, leased };
const names = Object.keys(EVENTS) as EventName[];

describe('the transitions of a user', () => {
  for (const [stateName, state] of Object.entries(STATES)) {
    for (const event of names) {
      const effect = EFFECTS.find(([before, cause]) => before === state && cause === event);
      it(`${stateName}: ${event} ${effect === undefined ? 'changes nothing' : 'has its effect'}`, () => {
        const transition = EVENTS[event](state);
        expect(transition).toEqual(effect?.[2] ?? { next: state, change: null });
        expect(transition.next === state).toBe(effect === undefined);
      });
    }
  }

  it('keep the very member while the info is the same', () => {
    const sameInfo = { ...anew, userInfoText: member.userInfoText };
    for (const state of [connected, connectedTwice, leased]) {
      expect(joined(state, sameInfo, false).next?.member).toBe(member);
    }
    expect(updated(connected, sameInfo, true).next?.member).toBe(member);
  });

  it('never touch what they are given', () => {
    const frozen = [connected, connectedTwice, leased].map((state) => Object.freeze({ ...state }));
    for (const state of frozen) {
      for (const event of names) expect(() => EVENTS[event](state)).not.toThrow();
    }
  });

  it('alternate between added and removed along every path, and tell at the ends of presence only', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...names), { maxLength: 50 }), (path) => {
        let state: UserState = null;
        for (const event of path) {
          const { next, change }: Transition = EVENTS[event](state);
          const told = change === null ? '' : brief(change);
          const update = event === 'an update' && state?.kind === 'connected' ? '~ada' : '';
          const movement =
            state === null && next !== null ? '+ada' : state !== null && next === null ? '-ada' : '';
          expect(told).toBe(movement || update);
          expect(next?.kind === 'connected' ? next.connections > 0 : true).toBe(true);
          state = next;
        }
      }),
    );
  });
});
