/** One kind of failure, as every part of the service answers it. */
export interface ErrorRow {
  /** HTTP status; null when it never answers an HTTP request. */
  readonly status: number | null;
  /** WebSocket close status; null when it never closes a socket. */
  readonly closeCode: number | null;
  /** `data.code` of the error frame that leaves the socket open; null: none. */
  readonly frameCode: number | null;
  /** `ai_code` of the HTTP body; null outside of AI transport. */
  readonly aiCode: number | null;
  /** Whether the same request may succeed later without being changed. */
  readonly retryable: boolean;
  /** `Retry-After` in seconds that goes with every answer; null sends none unless the thrower names one. */
  readonly retryAfterSeconds: number | null;
  /** Default text for the client. Never parsed, may change. */
  readonly text: string;
}

type HttpRow = ErrorRow & { readonly status: number };
type SocketRow = ErrorRow & { readonly status: null };
type More = Partial<Omit<ErrorRow, 'status' | 'text'>>;

const row = <Status extends number | null>(status: Status, text: string, more: More) => ({
  status,
  closeCode: null,
  frameCode: null,
  aiCode: null,
  retryable: false,
  retryAfterSeconds: null,
  text,
  ...more,
});

const http = (status: number, text: string, more: More = {}): HttpRow => row(status, text, more);

const ai = (status: number, aiCode: number, text: string): HttpRow =>
  http(status, text, { aiCode, frameCode: aiCode });

const close = (closeCode: number, text: string): SocketRow =>
  row(null, text, { closeCode, retryable: closeCode >= 4100 && closeCode < 4300 });

const frame = (frameCode: number, text: string, more: More = {}): SocketRow =>
  row(null, text, { frameCode, ...more });

const soon = { retryable: true, retryAfterSeconds: 1 } as const;

/**
 * Every error of the service. The key of an HTTP row is the `code` of the body. Close codes 4000–4099 and 4300–4399
 * tell clients not to reconnect, 4100–4199 to back off first, 4200–4299 to reconnect immediately.
 */
export const ERRORS = {
  invalid_input: http(400, 'The request is not valid', { frameCode: 4000 }),
  missing_channel_info: http(400, 'One of channels and channel is required'),
  limit_exceeded: http(400, 'A limit is exceeded'),
  auth_failed: http(401, 'Authentication failed', { frameCode: 4009 }),
  forbidden: http(403, 'Not allowed', { frameCode: 4009 }),
  csrf_failed: http(403, 'The cross-site request check failed'),
  insecure_transport: http(403, 'Sessions need HTTPS; set management.public_url to an https origin'),
  mutable_not_permitted: ai(403, 93002, 'Mutation is not permitted here'),
  not_found: http(404, 'no such route'),
  app_not_found: http(404, 'The app does not exist'),
  session_not_found: http(404, 'The session does not exist, open a new one and resume'),
  method_not_allowed: http(405, 'method not allowed'),
  not_acceptable: http(406, 'Accept allows no content type of this route'),
  conflict: http(409, 'The key was used with other content', { frameCode: 4000 }),
  read_only_store: http(409, 'The app is defined by the configuration or its store cannot be written'),
  precondition_failed: http(412, 'The app was changed since; read it again and retry with its ETag'),
  // In AI transport the thrower adds ai_code 40009; on a socket that number is the frame's code.
  payload_too_large: http(413, 'The payload is too large', { frameCode: 40_009 }),
  unsupported_media_type: http(415, 'The content type must be application/json'),
  feature_disabled: http(422, 'The feature is not enabled'),
  upgrade_required: http(426, 'This route speaks WebSocket only'),
  precondition_required: http(428, 'If-Match is required'),
  rate_limited: http(429, 'Too Many Requests', { retryable: true, frameCode: 4301 }),
  headers_too_large: http(431, 'The request head is too large'),
  internal_error: http(500, 'Internal server error', { frameCode: 4000 }),
  serialization_error: http(500, 'Internal server error'),
  not_implemented: http(501, 'This build does not support the operation'),
  backpressure: http(503, 'The service is busy with this work, retry', { ...soon, frameCode: 4100 }),
  service_unavailable: http(503, 'The service is unavailable, retry', { ...soon, frameCode: 4303 }),

  ai_invalid_transport_header: ai(400, 104000, 'A transport header is malformed'),
  // 400 for a message id that is too long, set by the thrower.
  ai_header_too_large: ai(413, 104001, 'A transport header is too large'),
  ai_client_id_spoof: ai(400, 104002, 'A client id header contradicts the actor'),
  ai_event_not_permitted: ai(403, 104003, 'AI events are not permitted on this channel'),

  message_too_large: close(1009, 'Message too large'),
  app_does_not_exist: close(4001, 'Application does not exist'),
  app_disabled: close(4003, 'Application disabled'),
  over_connection_quota: close(4004, 'Application is over connection quota'),
  origin_not_allowed: close(4009, 'Origin not allowed'),
  authentication_timeout: close(4009, 'Connection not authorized within timeout.'),
  token_refused: close(4009, 'capability token refused'),
  token_expired: close(4009, 'capability token expired'),
  token_revoked: close(4009, 'capability token revoked'),
  disconnected_by_app: close(4009, 'You got disconnected by the app.'),
  over_capacity: close(4100, 'Over capacity'),
  presence_away: close(4100, 'Presence is not available now'),
  cut_off: close(4200, 'The server is cut off from the others'),
  stream_too_old: close(4200, 'The stream has reached its maximum duration'),
  reconnect_requested: close(4200, 'Force reconnect requested by the app.'),
  server_shutting_down: close(4200, 'Server shutting down'),
  pong_missing: close(4201, 'Pong reply not received in time'),
  inactive: close(4202, 'Closed after inactivity'),
  closed_by_rate_limit: close(4301, 'Connection closed due to rate limit'),

  malformed_frame: frame(4000, 'The frame is not valid'),
  presence_full: frame(4100, 'The channel has too many members', { retryable: true }),
  channel_refused: frame(4300, 'The channel name or request is not allowed'),
  client_event_refused: frame(4301, 'The client event was refused'),
  too_many_subscriptions: frame(4301, 'The connection has as many subscriptions as it may have'),
  too_many_filters: frame(4301, 'The channel or app has as many distinct filters as it may have'),
  too_many_entries: frame(4302, 'Too many entries'),
  presence_update_refused: frame(104009, 'The presence update is not possible here'),
  stream_unreadable: frame(4303, 'The stream could not be read or written', { retryable: true }),
} as const satisfies Record<string, ErrorRow>;

/** The name of a row. */
export type ErrorCode = keyof typeof ERRORS;

/** Names of the rows that can answer an HTTP request. */
export type HttpErrorCode = {
  [Code in ErrorCode]: (typeof ERRORS)[Code] extends { readonly status: number } ? Code : never;
}[ErrorCode];
