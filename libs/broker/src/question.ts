/** Revoked tokens: the one with this id, all of this client, or both; at least one is not null. */
export interface RevokedTokens {
  readonly jti: string | null;
  readonly clientId: string | null;
}

/** A connection that was resumed, on this or another node. */
export interface TakenConnection {
  readonly socketId: string;
  /** Hash of the key with which it was resumed: a connection of this id with another key is not affected. */
  readonly keyHash: string;
}

/** Membership of a connection in a channel. */
export interface Membership {
  readonly channel: string;
  readonly userId: string;
  /** JSON text. */
  readonly userInfoText: string;
}

/** A request of the comet transport, forwarded to the node that holds the connection or the receiver. */
export interface CometRequest {
  /** `deliver` writes to a receiver; the others are requests of the client. */
  readonly verb: 'recv' | 'send' | 'close' | 'disconnect' | 'deliver';
  /** SHA-256 of the connection key; empty for `deliver`. */
  readonly keyHash: string;
  /** Id of the open `recv` on the requesting node; null for the other requests of the client. */
  readonly receiver: string | null;
  /** Whether the receiver ends with one delivery; null: as its connection was opened, or there is no receiver. */
  readonly isOnce: boolean | null;
  /** JSON text of protocol messages; null: none. */
  readonly body: string | null;
}

export interface CometReply {
  /** HTTP status. */
  readonly status: number;
  /** JSON text; null: none. */
  readonly body: string | null;
}

/** Frames of a client for an HTTP session on another node, or the end of that session. */
export interface SessionRequest {
  readonly session: string;
  /** SHA-256 of the secret that the client showed, in hexadecimal. */
  readonly secretHash: string;
  /** The body of the request; null: the session ends. */
  readonly frames: string | null;
}

/** The HTTP answer of the node with the session. */
export interface SessionAnswer {
  readonly status: number;
  /** JSON text; empty: no body. */
  readonly body: string;
}

/** Requests to all processes with sockets, by kind. */
export interface Question {
  /** Sockets per occupied channel with this prefix. Special channels are never listed. */
  readonly channels_with_sockets_count: { readonly prefix: string };
  /** Sockets of each of these channels. */
  readonly batch_channel_sockets_count: { readonly channels: readonly string[] };
  /** Sockets of the app. */
  readonly sockets_count: null;
  /** Close every socket signed in as the user, for good. */
  readonly terminate_user: { readonly userId: string };
  /** Close every socket signed in as the user with a code that makes it reconnect. */
  readonly force_reconnect: { readonly userId: string };
  /** Meta channels of these channels have subscribers: their events are to be counted and reported for a while. */
  readonly meta_watched: { readonly channels: readonly string[] };
  /** Close every socket that holds one of these tokens. */
  readonly token_revoked: RevokedTokens;
  /** The identity of a connection and its rights on the channel. */
  readonly acting_socket: { readonly socketId: string; readonly channel: string };
  /** Close the previous connection of a resumed one. Its members stay for their grace period. */
  readonly connection_taken: TakenConnection;
  /** Apply a comet request on the node that holds its connection or receiver. */
  readonly comet_request: CometRequest;
  /** Connections of one channel, by capability. */
  readonly channel_occupancy: { readonly channel: string };
  /** Frames for an HTTP session; asked of its node alone. */
  readonly stream_frames: SessionRequest;
  /** The end of an HTTP session; asked of its node alone. */
  readonly stream_end: SessionRequest;
}

/** Connections of a channel by capability; each counts for every capability it has. */
export interface ChannelOccupancy {
  readonly connections: number;
  readonly publishers: number;
  readonly subscribers: number;
  /** Connections that may enter presence. */
  readonly presenceConnections: number;
  /** Connections that receive presence events. */
  readonly presenceSubscribers: number;
}

/** A connection in whose name a request is made. */
export interface ActingSocket {
  /** 1 also for every protocol other than 2. */
  readonly protocol: 1 | 2;
  /** Its verified identity; null: it has none. */
  readonly clientId: string | null;
  /** Whether its capabilities come from a token. */
  readonly hasToken: boolean;
  /** Capabilities on the channel, by name. */
  readonly rights: readonly string[];
}

/** Answers by kind of request. */
export interface Answer {
  readonly channels_with_sockets_count: ReadonlyMap<string, number>;
  /** Channels without a socket are left out. */
  readonly batch_channel_sockets_count: ReadonlyMap<string, number>;
  readonly sockets_count: number;
  /** Number of closed sockets. */
  readonly terminate_user: number;
  /** Number of closed sockets. */
  readonly force_reconnect: number;
  /** Number of processes that were notified. */
  readonly meta_watched: number;
  /** Number of closed sockets. */
  readonly token_revoked: number;
  /** Null if the connection is not on the node. */
  readonly acting_socket: ActingSocket | null;
  readonly channel_occupancy: ChannelOccupancy;
  /** Memberships of the closed connection. */
  readonly connection_taken: readonly Membership[];
  /** Null if neither the connection nor the receiver is on the node. */
  readonly comet_request: CometReply | null;
  /** Null if the session is not on the node. */
  readonly stream_frames: SessionAnswer | null;
  readonly stream_end: SessionAnswer | null;
}
