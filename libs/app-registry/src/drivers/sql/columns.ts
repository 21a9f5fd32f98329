/** The content type of a column; each database has its own column type for it. */
export type ColumnKind =
  | 'bigint'
  | 'boolean'
  | 'created'
  | 'integer'
  | 'json'
  | 'name'
  | 'secret'
  | 'updated';

export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  /** True: null is allowed, and means not set. */
  readonly optional: boolean;
  /** The default of rows that set no value; null: no default. The default of times is set by the database. */
  readonly initial: string | null;
}

const column =
  (kind: ColumnKind, optional: boolean, initial: string | null = null) =>
  (name: string): Column => ({ name, kind, optional, initial });

const required = column('integer', false, '0');
const integer = column('integer', true);
const flag = column('boolean', true);
const json = column('json', true);

/** Limits in columns of their own, for readers that know no `policy`. */
export const REQUIRED_LIMITS = ['max_connections', 'max_client_events_per_second'] as const;
export const OPTIONAL_LIMITS = [
  'max_backend_events_per_second',
  'max_read_requests_per_second',
  'max_presence_members_per_channel',
  'max_presence_member_size_in_kb',
  'max_channel_name_length',
  'max_event_channels_at_once',
  'max_event_name_length',
  'max_event_payload_in_kb',
  'max_event_batch_size',
] as const;
export const OPTIONAL_FEATURES = ['enable_user_authentication', 'enable_watchlist_events'] as const;
/** Members of the policy, grouped by their path in it. */
export const OVERRIDES = ['webhooks', 'idempotency', 'connection_recovery'] as const;
export const CHANNEL_RULES = ['allowed_origins', 'channel_delta_compression'] as const;

/** The table of the apps, in order. */
export const COLUMNS: readonly Column[] = [
  column('name', false)('id'),
  column('name', false)('key'),
  column('secret', false)('secret'),
  column('boolean', false, 'true')('enabled'),
  ...REQUIRED_LIMITS.map(required),
  ...OPTIONAL_LIMITS.map(integer),
  column('boolean', false, 'false')('enable_client_messages'),
  ...OPTIONAL_FEATURES.map(flag),
  ...['policy', ...OVERRIDES, ...CHANNEL_RULES].map(json),
  column('secret', true)('previous_secret'),
  column('bigint', true)('previous_secret_expires_at'),
  column('created', false)('created_at'),
  column('updated', false)('updated_at'),
];

/** Found by these; `key` is unique, `id` is the primary key. */
export const INDEXED = ['key', 'enabled', 'created_at', 'updated_at'] as const;
