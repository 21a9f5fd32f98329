/**
 * The channel of the place where the signed-in users of an app are: whoever has a signed-in or token connection, for
 * the watchlist. No client can subscribe to it and nobody can publish to it, because `!` stands in no channel name: it
 * is neither among the characters of a name or a pattern nor do `[meta]` and `#server-to-user-` names begin with it.
 */
export const ONLINE_USERS = '!online-users';
