import type { LeaveCause, Member, PresenceEvent, PresencePlace, Presentation } from './port.js';

/** Keeps a user in a place for a while after the last connection has gone. */
export interface Lease extends PresencePlace {
  readonly userId: string;
  /** Told when it ends. */
  readonly cause: LeaveCause;
  readonly endsAtMs: number;
}

/** A user with at least one connection in the place. */
export interface ConnectedUser {
  readonly kind: 'connected';
  readonly member: Member;
  /** Only how many: which ones they are is kept beside the state, since a user may have very many. */
  readonly connections: number;
}

/** A user without a connection who still counts as being there. */
export interface LeasedUser {
  readonly kind: 'leased';
  readonly member: Member;
  readonly lease: Lease;
}

/** One user of one place; null: not there. */
export type UserState = ConnectedUser | LeasedUser | null;

/** What an event makes of a user. A next state identical to the one before means that nothing happened. */
export interface Transition {
  readonly next: UserState;
  /** What the others are told; null: nothing. */
  readonly change: PresenceEvent | null;
}

/** A connection comes; `known`: it was there before. Told only if the user was not there at all. */
export function joined(before: UserState, presentation: Presentation, known: boolean): Transition {
  if (known) return unchanged(before);
  const member = memberFrom(before, presentation);
  const connections = before?.kind === 'connected' ? before.connections + 1 : 1;
  const { appId, channel, socketId } = presentation;
  return {
    next: { kind: 'connected', member, connections },
    change: before === null ? { kind: 'added', appId, channel, member, socketId } : null,
  };
}

/**
 * A connection goes. After the last one the user stays as long as the lease; null: goes too, because of `cause`. With
 * last words the user says these from then on.
 */
export function left(
  before: UserState,
  user: PresencePlace & Pick<Member, 'userId'>,
  known: boolean,
  cause: LeaveCause,
  lease: Lease | null,
  lastWords?: string,
): Transition {
  if (!known || before?.kind !== 'connected') return unchanged(before);
  const { connections } = before;
  if (connections > 1)
    return {
      next: { kind: 'connected', member: before.member, connections: connections - 1 },
      change: null,
    };
  const { userInfoText } = before.member;
  const member = memberFrom(before, { ...before.member, userInfoText: lastWords ?? userInfoText });
  return lease === null
    ? removal(user, member, cause)
    : { next: { kind: 'leased', member, lease }, change: null };
}

/** A connection of the user sets the info. Told also if it is the same as before. */
export function updated(before: UserState, presentation: Presentation, known: boolean): Transition {
  if (!known || before?.kind !== 'connected') return unchanged(before);
  const { appId, channel, socketId } = presentation;
  const member = memberFrom(before, presentation);
  return { next: { ...before, member }, change: { kind: 'updated', appId, channel, member, socketId } };
}

/** A lease ends. Only the one the user has counts: one of an earlier absence ends without effect. */
export function leaseEnded(before: UserState, lease: Lease): Transition {
  if (before?.kind !== 'leased' || before.lease !== lease) return unchanged(before);
  return removal(lease, before.member, lease.cause);
}

const unchanged = (state: UserState): Transition => ({ next: state, change: null });

const removal = (
  { appId, channel, userId }: PresencePlace & Pick<Member, 'userId'>,
  { userInfoText, socketId: cameBy }: Member,
  cause: LeaveCause,
): Transition => ({
  next: null,
  change: { kind: 'removed', appId, channel, userId, userInfoText, cameBy, cause },
});

/** The very member of before when the info is the same: whoever holds a list of members can tell by identity. */
function memberFrom(before: UserState, { userId, userInfoText, socketId }: Member): Member {
  if (before === null) return { userId, userInfoText, socketId };
  return before.member.userInfoText === userInfoText ? before.member : { ...before.member, userInfoText };
}
