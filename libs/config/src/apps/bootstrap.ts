import type { Secret } from '../secret.js';
import { parseAppRecord, type ParsedAppRecord } from './app-record.js';
import type { Problem } from '../problem.js';

const ENVIRONMENT_PREFIX = 'SERVICE_DEFAULT_APP_';

/** Every limit the environment can set. Unset, the limits of the service hold. */
export const BOOTSTRAP_LIMITS = [
  'max_connections',
  'max_client_events_per_second',
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

type BootstrapLimit = (typeof BOOTSTRAP_LIMITS)[number];

/**
 * `SERVICE_DEFAULT_APP_*` as parsed; a member is named like its variable without the prefix, in lower case. Undefined
 * means the variable is not set (or empty).
 */
export interface BootstrapValues extends Readonly<Partial<Record<BootstrapLimit, number>>> {
  readonly id: string;
  readonly key: string;
  readonly secret: Secret;
  /** With the fall-back to `SERVICE_ENABLE_CLIENT_MESSAGES` already applied. */
  readonly enable_client_messages?: boolean | undefined;
  readonly enable_user_authentication?: boolean | undefined;
  readonly enable_watchlist_events?: boolean | undefined;
  readonly allowed_origins?: readonly string[] | undefined;
  readonly annotations_enabled?: boolean | undefined;
}

/**
 * Builds the app that the environment describes: `bootstrapAppRecord(values: BootstrapValues): ParsedAppRecord`. Call
 * it only if all three credentials are set and `SERVICE_DEFAULT_APP_ENABLED` is not false. Unset values stay unset,
 * except client messages, which are then disabled. The path of every problem is the name of the variable
 * (`SERVICE_DEFAULT_APP_ID`, `SERVICE_DEFAULT_APP_ALLOWED_ORIGINS[0]`).
 */
export function bootstrapAppRecord(values: BootstrapValues): ParsedAppRecord {
  const parsed = parseAppRecord({ ...values, secret: values.secret.reveal() }, '');
  if (parsed.record !== null) return parsed;
  return { ...parsed, problems: parsed.problems.map(inEnvironment) };
}

const inEnvironment = ({ path, message }: Problem): Problem => ({
  path: `${ENVIRONMENT_PREFIX}${path.toUpperCase()}`,
  message,
});
