import type { PresencePlace, Presentation } from '../src/index.js';
import type { PresenceEvent } from '../src/port.js';

export const LOBBY: PresencePlace = { appId: 'shop', channel: 'presence-lobby' };

/** The connection `socketId` of a user; by default the info names both. */
export function as(
  userId: string,
  socketId: string,
  {
    place = LOBBY,
    info = { from: socketId },
  }: { readonly place?: PresencePlace; readonly info?: unknown } = {},
): Presentation {
  return { ...place, userId, socketId, userInfoText: JSON.stringify(info) };
}

/** A change as one line. */
export function line(change: PresenceEvent): string {
  return change.kind === 'removed'
    ? `${change.appId} ${change.channel}: ${change.userId} removed ${change.userInfoText}, ${change.cause}`
    : `${change.appId} ${change.channel}: ${change.member.userId} ${change.kind} ${change.member.userInfoText} by ${change.socketId}`;
}

const SIGNS = { added: '+', removed: '-', updated: '~' };

/** Short form of a change: kind and user. */
export const brief = (change: PresenceEvent): string =>
  `${SIGNS[change.kind]}${change.kind === 'removed' ? change.userId : change.member.userId}`;
