import type { Api } from './api.js';
import type { Authorization, Authorize, ChannelToAuthorize, UserAuthentication } from './auth/authorizer.js';
import type { TokenSource } from './auth/token.js';
import type { Decryptor } from './channel/channel.js';
import type { DeltaDecoder } from './channel/delta-bases.js';
import type { BackoffOptions } from './connection/backoff.js';
import type { Clock } from './connection/clock.js';
import type { SocketConstructor } from './connection/socket.js';
import type { TransportName } from './connection/transports.js';
import type { WireFormat } from './format/frame.js';
import type { UserToAuthenticate } from './user.js';

/** Connection and authentication options of a client. */
export interface ClientOptions {
  /** The key of the app. */
  readonly key: string;
  /** The URL of the service: `wss://realtime.example.com`. */
  readonly url: string;
  /** Absent: JSON. Others come from `@carillon/client/messagepack` and `@carillon/client/protobuf`. */
  readonly format?: WireFormat;
  /** A capability token. A function that returns a fresh one keeps long connections alive. */
  readonly token?: TokenSource;
  /** Authorizes private and presence channels. */
  readonly authorize?: Authorize<ChannelToAuthorize, Authorization>;
  /** Authenticates users. */
  readonly authenticate?: Authorize<UserToAuthenticate, UserAuthentication>;
  /** Whether this client receives its own messages. Absent: the setting of the service, usually yes. */
  readonly echo?: boolean;
  /** Whether appends carry only the appended data (default) or the whole message. */
  readonly appends?: 'delta' | 'full';
  /** Roll up appends for this many milliseconds. */
  readonly appendRollupMs?: 0 | 20 | 40 | 100 | 500;
  /** Delta decoders in order of preference. Absent: messages arrive in full. Only with JSON. */
  readonly deltas?: readonly DeltaDecoder[];
  /** Decrypts encrypted channels; from `@carillon/client/encrypted`. */
  readonly decryptor?: Decryptor;
  /** Id of the app. With a `token` and without an `api`, changes and annotations are sent with the token. */
  readonly appId?: string;
  /** Makes requests to the HTTP API: for reading and changing messages, annotations, AI streams and push. */
  readonly api?: Api;
  /** The api acts with the app's own rights, not with those of this connection: on the app's own server. */
  readonly isTrusted?: boolean;
  /** Absent: the runtime's own. On Node 20, that of the package `ws`. */
  readonly WebSocket?: SocketConstructor;
  /**
   * Transports in the order in which they are tried. Default `["websocket", "http-stream"]`; binary formats have the
   * first only.
   */
  readonly transports?: readonly TransportName[];
  readonly backoff?: BackoffOptions;
  /** The longest from the start of an attempt until it is established. Default 15,000. */
  readonly connectTimeoutMs?: number;
  /** Ping the service after this long without a frame. Default 30,000. */
  readonly activityTimeoutMs?: number;
  /** The longest to wait for the answer to that. Default 10,000. */
  readonly pongTimeoutMs?: number;
  /** Events that wait for one channel to be subscribed. Default 100. */
  readonly maxQueued?: number;
  /** The prefix of the service's event names, if it is configured to another than `service`. */
  readonly vendor?: string;
  /** Shown in the service's logs. */
  readonly clientName?: string;
  /** For tests. */
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** The client version sent to the service. */
export const VERSION = '0.1.0';

/** Returns the URL to connect to. */
export function addressOf(options: ClientOptions, token: string | null): string {
  const { key, url, format, echo, appends, appendRollupMs, clientName = 'carillon-js' } = options;
  const query = new URLSearchParams({
    protocol: '2',
    client: clientName,
    version: VERSION,
    ...(format === undefined || format.name === 'json' ? {} : { format: format.name }),
    ...(echo === undefined ? {} : { echo_messages: String(echo) }),
    ...(appends === undefined ? {} : { append_mode: appends }),
    ...(appendRollupMs === undefined ? {} : { append_rollup_window: String(appendRollupMs) }),
    acks: 'true',
    ...(token === null ? {} : { token }),
  });
  const base = url.replace(/^http/, 'ws').replace(/\/+$/, '');
  return `${base}/app/${encodeURIComponent(key)}?${query}`;
}
