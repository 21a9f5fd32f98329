const PREFIX = '#watchers of ';

/** The channel that tells of one user's coming and going. The spaces keep it apart from every name of a client. */
export const watchChannel = (userId: string): string => `${PREFIX}${userId}`;

/** The user a channel tells of; null for every other channel. */
export const watchedUser = (channel: string): string | null =>
  channel.startsWith(PREFIX) ? channel.slice(PREFIX.length) : null;
