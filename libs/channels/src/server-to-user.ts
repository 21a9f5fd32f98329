const PREFIX = '#server-to-user-';

/** The channel whose messages go to every socket of one user. */
export const serverToUserChannel = (userId: string): string => `${PREFIX}${userId}`;

/** The user such a channel speaks to; null for every other name, also when the id is missing. */
export function serverToUserId(name: string): string | null {
  return name.startsWith(PREFIX) && name.length > PREFIX.length ? name.slice(PREFIX.length) : null;
}
