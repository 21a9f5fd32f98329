// The exact texts of frames of protocol 1, written from the specification.

/** A frame as parsed. Members of protocol 2 have no place here: tests compare whole frames. */
export interface Frame {
  readonly event: string;
  readonly channel?: string;
  readonly data?: unknown;
  readonly user_id?: string;
}

/** An error frame. Its message is for people and not compared. */
export interface ErrorFrame {
  readonly event: 'pusher:error';
  readonly channel?: string;
  readonly data: { readonly code: number; readonly message: string };
}

export const PING = '{"event":"pusher:ping","data":{}}';
export const PONG = '{"event":"pusher:pong"}';

/** A member `data` whose value is the JSON of something, in a string. */
const inString = (value: unknown): string => JSON.stringify(JSON.stringify(value));

/** The answer to a subscription; `presence` for presence channels. */
export const succeeded = (channel: string, data: unknown = {}): string =>
  `{"event":"pusher_internal:subscription_succeeded","channel":${JSON.stringify(channel)},"data":${inString(data)}}`;

/** The members of a presence channel in order of first join: id and info. */
export const presence = (...members: readonly (readonly [string, unknown])[]): unknown => ({
  presence: {
    ids: members.map(([id]) => id),
    hash: Object.fromEntries(members),
    count: members.length,
  },
});

export const memberAdded = (channel: string, userId: string, userInfo: unknown = {}): string =>
  `{"event":"pusher_internal:member_added","channel":${JSON.stringify(channel)},"data":${inString({ user_id: userId, user_info: userInfo })}}`;

export const memberRemoved = (channel: string, userId: string): string =>
  `{"event":"pusher_internal:member_removed","channel":${JSON.stringify(channel)},"data":${inString({ user_id: userId })}}`;

/** A published event; `data` is always a string. */
export const published = (channel: string, event: string, data: string): string =>
  `{"event":${JSON.stringify(event)},"channel":${JSON.stringify(channel)},"data":${JSON.stringify(data)}}`;

export const cacheMiss = (channel: string): string =>
  `{"event":"pusher:cache_miss","channel":${JSON.stringify(channel)},"data":"{}"}`;

export const subscriptionCount = (channel: string, count: number): string =>
  `{"event":"pusher_internal:subscription_count","channel":${JSON.stringify(channel)},"data":${inString({ subscription_count: count })}}`;

export const signinSuccess = (userData: string): string =>
  `{"event":"pusher:signin_success","data":${JSON.stringify({ user_data: userData })}}`;

/** Groups in the order they are to have: online before offline. */
export const watchlist = (...groups: readonly (readonly ['online' | 'offline', string[]])[]): string => {
  const events = groups.map(([name, userIds]) => ({ name, user_ids: userIds }));
  return `{"event":"pusher_internal:watchlist_events","data":${inString({ events })}}`;
};
