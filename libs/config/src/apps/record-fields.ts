import { Secret } from '../secret.js';
import { channelFields } from './channel-fields.js';
import type { ChannelPolicy } from './channel-policy.js';
import { boolean, checked, optional, positive, text, withDefault, type Field } from './field.js';
import { featureFields, limitFields } from './limit-fields.js';
import { connectionRecovery, history, idempotency, presenceHistory } from './override-fields.js';
import { type AppFeatures, type AppLimits, type AppPolicy, type AppRecord } from './record.js';
import { NO_EXTRA } from './extra.js';
import { Report } from './report.js';
import { isTable, table, type Fields } from './table.js';
import { webhooks } from './webhook-fields.js';

const id = checked(text, (value, path, report) => {
  if (/^[A-Za-z0-9_-]{1,64}$/.test(value)) return;
  report.problem(path, value === '' ? 'must not be empty' : 'must be 1 to 64 characters [A-Za-z0-9_-]');
});

const credential = checked(text, (value, path, report) => {
  if (value === '') report.problem(path, 'must not be empty');
  if (value.length > 255) report.problem(path, 'must be at most 255 characters');
});

const secret: Field<Secret> = {
  read(raw, path, report) {
    const value = credential.read(raw, path, report);
    return value === undefined ? undefined : new Secret(value);
  },
  write: (value) => value.reveal(),
};

const limits = table<AppLimits>(limitFields);
const features = table<AppFeatures>(featureFields);
const channels = table<ChannelPolicy>(channelFields);

/** The value of a table in which nothing is set. */
function empty<T>(field: Field<T>): T {
  const value = field.read({}, '', new Report());
  if (value === undefined) throw new Error('a table with a required member has no empty value');
  return value;
}

const topFields: Fields<Omit<AppRecord, 'policy'>> = {
  id,
  key: credential,
  secret,
  enabled: withDefault(boolean, true),
  previous_secret: optional(secret),
  previous_secret_expires_at_ms: optional(positive),
  created_at_ms: optional(positive),
  updated_at_ms: optional(positive),
  revision: optional(text),
};

type Overrides = Omit<AppPolicy, 'limits' | 'features' | 'channels'>;

const overrideFields: Fields<Overrides> = {
  webhooks: withDefault(webhooks, Object.freeze([])),
  idempotency: optional(idempotency),
  connection_recovery: optional(connectionRecovery),
  history: optional(history),
  presence_history: optional(presenceHistory),
};

const policy = table<AppPolicy>({
  limits: withDefault(limits, empty(limits)),
  features: withDefault(features, empty(features)),
  channels: withDefault(channels, empty(channels)),
  ...overrideFields,
});

const nestedRecord = table<AppRecord>({ ...topFields, policy });

/** The legacy form: every member of the policy is directly on the record. */
type FlatRecord = Omit<AppRecord, 'policy'> & AppLimits & AppFeatures & ChannelPolicy & Overrides;

const flatRecord = table<FlatRecord>({
  ...topFields,
  ...limitFields,
  ...featureFields,
  ...channelFields,
  ...overrideFields,
});

/** Reads either form, the flat one only where there is no `policy`; writes the form with a policy. */
export const appRecord: Field<AppRecord> = {
  read(raw, path, report) {
    const flat = isTable(raw) && (raw['policy'] === undefined || raw['policy'] === null);
    if (!flat) return nestedRecord.read(raw, path, report);
    const { policy: _, ...members } = raw;
    const read = flatRecord.read(members, path, report);
    return read === undefined ? undefined : nested(read);
  },
  write: (value) => nestedRecord.write(value),
};

function nested(flat: FlatRecord): AppRecord {
  const policy: AppPolicy = {
    limits: pick<AppLimits>(flat, limitFields),
    features: pick<AppFeatures>(flat, featureFields),
    channels: pick<ChannelPolicy>(flat, channelFields),
    ...pick<Overrides>(flat, overrideFields),
  };
  const top = pick<Omit<AppRecord, 'policy'>>(flat, topFields);
  return Object.freeze({ ...top, extra: flat.extra, policy: Object.freeze(policy) });
}

/** Returns the members named by `fields`; unknown members stay on the record itself. */
function pick<T>(flat: FlatRecord, fields: Fields<T>): T {
  const members = Object.keys(fields).map((name) => [name, flat[name as keyof FlatRecord]]);
  return Object.freeze({ ...Object.fromEntries(members), extra: NO_EXTRA }) as T;
}
