import type { LeaveCause, Member, PresenceEvent, PresencePlace, Presentation } from './port.js';

/** Keeps a user in a place for a while after the last connection has left. */
export interface Lease extends PresencePlace {
  readonly userId: string;
  /** Cause reported at its end. */
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

/** A user without connections who still counts as present. */
export interface LeasedUser {
  readonly kind: 'leased';
  readonly member: Member;
  readonly lease: Lease;
}

/** One user of one place; null: not there. */
export type UserState = ConnectedUser | LeasedUser | null;

/** Result of an event for a user. A next state identical to the previous one means no change. */
export interface Transition {
  readonly next: UserState;
  /** Change to report; null: none. */
  readonly change: PresenceEvent | null;
}

/** A connection joins; `known`: it was present before. Reported only if the user was absent. */
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
 * A connection leaves. After the last one the user stays for the lease; null: is removed with `cause`. `lastWords`
 * replaces the user info from then on.
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

/** A connection replaces the user info. Reported even if it is unchanged. */
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

/** Returns the same member object if the info is unchanged, so that holders of lists can compare by identity. */
function memberFrom(before: UserState, { userId, userInfoText, socketId }: Member): Member {
  if (before === null) return { userId, userInfoText, socketId };
  return before.member.userInfoText === userInfoText ? before.member : { ...before.member, userInfoText };
}
