import { items } from '../kernel/collections.js';
import { bool, u32 } from '../kernel/index.js';
import type { Findings, LeafType } from '../kernel/node.js';
import { variable, type Env } from './environment.js';

const PREFIX = 'SERVICE_DEFAULT_APP';
const INTEGER = u32({ default: 0, meaning: '' }).type;
const BOOLEAN = bool({ default: false, meaning: '' }).type;

/** What an app of the environment gets where its variable is unset; null = the record's own default. */
const LIMITS: Readonly<Record<string, number | null>> = {
  max_connections: 100,
  max_backend_events_per_second: null,
  max_client_events_per_second: 100,
  max_read_requests_per_second: null,
  max_presence_members_per_channel: 100,
  max_presence_member_size_in_kb: 100,
  max_channel_name_length: 100,
  max_event_channels_at_once: 100,
  max_event_name_length: 100,
  max_event_payload_in_kb: 100,
  max_event_batch_size: 100,
};

const without = (values: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== null)) as Record<string, unknown>;

class AppVariables {
  constructor(
    private readonly env: Env,
    private readonly findings: Findings,
  ) {}

  text(key: string): string | null {
    return variable(this.env, `${PREFIX}_${key}`);
  }

  value<T>(key: string, type: LeafType<T>, name = `${PREFIX}_${key}`): T | null {
    const text = variable(this.env, name);
    if (text === null) return null;
    const parsed = type.parse(text);
    if ('value' in parsed) return parsed.value;
    this.findings.problems.push({ path: name, message: parsed.message });
    return null;
  }

  record(credentials: Readonly<Record<string, string | null>>): unknown {
    const limits = Object.entries(LIMITS).map(
      ([key, initial]) => [key, this.value(key.toUpperCase(), INTEGER) ?? initial] as const,
    );
    const legacy = this.value('', BOOLEAN, 'SERVICE_ENABLE_CLIENT_MESSAGES');
    const origins = this.text('ALLOWED_ORIGINS');
    return {
      ...credentials,
      enabled: true,
      policy: {
        limits: without(Object.fromEntries(limits)),
        features: without({
          enable_client_messages: this.value('ENABLE_CLIENT_MESSAGES', BOOLEAN) ?? legacy ?? false,
          enable_user_authentication: this.value('ENABLE_USER_AUTHENTICATION', BOOLEAN),
          enable_watchlist_events: this.value('ENABLE_WATCHLIST_EVENTS', BOOLEAN),
        }),
        channels: without({
          allowed_origins: origins === null ? null : items(origins),
          annotations_enabled: this.value('ANNOTATIONS_ENABLED', BOOLEAN),
        }),
      },
    };
  }
}

/** The raw apps the environment puts in place of those of the file; null when it says nothing about them. */
export function defaultApps(env: Env, findings: Findings): readonly unknown[] | null {
  const variables = new AppVariables(env, findings);
  const enabled = variables.value('ENABLED', BOOLEAN);
  const credentials = {
    id: variables.text('ID'),
    key: variables.text('KEY'),
    secret: variables.text('SECRET'),
  };
  const given = Object.values(credentials).filter((text) => text !== null).length;
  if (given === 1 || given === 2) {
    findings.problems.push({ path: `${PREFIX}_*`, message: 'ID, KEY and SECRET must be set together' });
  }
  if (enabled === false) return [];
  return given === 3 ? [variables.record(credentials)] : null;
}
