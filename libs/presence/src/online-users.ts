/**
 * Channel of the place with the signed-in users of an app (with a signed-in or token connection), for watchlists.
 * Clients cannot subscribe or publish to it, because `!` is not a valid character of channel names, patterns,
 * `[meta]` or `#server-to-user-` channels.
 */
export const ONLINE_USERS = '!online-users';
