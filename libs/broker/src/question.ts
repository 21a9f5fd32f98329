/** Tokens that are not valid any more: the one with this id, all of this client, or both; at least one is not null. */
export interface RevokedTokens {
  readonly jti: string | null;
  readonly clientId: string | null;
}

/** A connection that has come back, here or elsewhere. */
export interface TakenConnection {
  readonly socketId: string;
  /** Of the key that it came back with: a connection of this id that has another one by now is not meant. */
  readonly keyHash: string;
}

/** What a connection was a member of a channel as. */
export interface Membership {
  readonly channel: string;
  readonly userId: string;
  /** JSON text. */
  readonly userInfoText: string;
}

/** What may be asked of all processes with sockets, by kind. */
export interface Question {
  /** Sockets per occupied channel whose name starts with the prefix. Special channels are never listed. */
  readonly channels_with_sockets_count: { readonly prefix: string };
  /** Sockets of each of these channels. */
  readonly batch_channel_sockets_count: { readonly channels: readonly string[] };
  /** Sockets of the app. */
  readonly sockets_count: null;
  /** Close every socket signed in as the user, for good. */
  readonly terminate_user: { readonly userId: string };
  /** Close every socket signed in as the user so that it comes back. */
  readonly force_reconnect: { readonly userId: string };
  /** Somebody is told of these channels by their meta channels: what happens to them is to be counted and told for a while. */
  readonly meta_watched: { readonly channels: readonly string[] };
  /** Close every socket that holds one of these tokens. */
  readonly token_revoked: RevokedTokens;
  /** The identity of a connection and its rights on the channel. */
  readonly acting_socket: { readonly socketId: string; readonly channel: string };
  /** Close what is left of the connection where it was, whose members stay for as long as it may be away. */
  readonly connection_taken: TakenConnection;
  /** Connections of one channel, by what they may do there. */
  readonly channel_occupancy: { readonly channel: string };
}

/** Connections of a channel, by what they may do there; each counts in all that it may. */
export interface ChannelOccupancy {
  readonly connections: number;
  readonly publishers: number;
  readonly subscribers: number;
  /** Those that may be members. */
  readonly presenceConnections: number;
  /** Those that are told of members. */
  readonly presenceSubscribers: number;
}

/** A connection that somebody is to act as. */
export interface ActingSocket {
  /** 1 also for every protocol other than 2. */
  readonly protocol: 1 | 2;
  /** Its verified identity; null: it has none. */
  readonly clientId: string | null;
  /** Whether what it may do was said by a capability token. */
  readonly hasToken: boolean;
  /** What it may do on the channel, by the names of capabilities. */
  readonly rights: readonly string[];
}

/** What each kind of question is answered with. */
export interface Answer {
  readonly channels_with_sockets_count: ReadonlyMap<string, number>;
  /** Channels without a socket are left out. */
  readonly batch_channel_sockets_count: ReadonlyMap<string, number>;
  readonly sockets_count: number;
  /** How many were closed. */
  readonly terminate_user: number;
  /** How many were closed. */
  readonly force_reconnect: number;
  /** How many processes know. */
  readonly meta_watched: number;
  /** How many were closed. */
  readonly token_revoked: number;
  /** Null if the connection is not on the node. */
  readonly acting_socket: ActingSocket | null;
  readonly channel_occupancy: ChannelOccupancy;
  /** What it was a member as. */
  readonly connection_taken: readonly Membership[];
}
