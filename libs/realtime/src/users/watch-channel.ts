const PREFIX = '#watchers of ';

/** Internal channel of one user's online status. Its spaces prevent collisions with client channel names. */
export const watchChannel = (userId: string): string => `${PREFIX}${userId}`;

/** Returns the user of such a channel; null for any other channel. */
export const watchedUser = (channel: string): string | null =>
  channel.startsWith(PREFIX) ? channel.slice(PREFIX.length) : null;
