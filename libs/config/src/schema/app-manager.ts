import { parseAppRecord } from '../apps/app-record.js';
import { duplicateProblems } from '../apps/duplicate-problems.js';
import type { AppRecord } from '../apps/record.js';
import { bool, derived, enumeration, leaf, table, u64, type LeafType } from '../kernel/index.js';
import { unknownKey } from '../kernel/nearest.js';
import { given, wrongType } from '../kernel/read.js';

/** Every variable that describes the one app of the environment, without the common start. */
const DEFAULT_APP_KEYS = [
  'ID',
  'KEY',
  'SECRET',
  'ENABLED',
  'MAX_CONNECTIONS',
  'MAX_BACKEND_EVENTS_PER_SECOND',
  'MAX_CLIENT_EVENTS_PER_SECOND',
  'MAX_READ_REQUESTS_PER_SECOND',
  'MAX_PRESENCE_MEMBERS_PER_CHANNEL',
  'MAX_PRESENCE_MEMBER_SIZE_IN_KB',
  'MAX_CHANNEL_NAME_LENGTH',
  'MAX_EVENT_CHANNELS_AT_ONCE',
  'MAX_EVENT_NAME_LENGTH',
  'MAX_EVENT_PAYLOAD_IN_KB',
  'MAX_EVENT_BATCH_SIZE',
  'ENABLE_CLIENT_MESSAGES',
  'ENABLE_USER_AUTHENTICATION',
  'ENABLE_WATCHLIST_EVENTS',
  'ALLOWED_ORIGINS',
  'ANNOTATIONS_ENABLED',
] as const;

const appsType: LeafType<readonly AppRecord[]> = {
  name: 'list of apps',
  jsonSchema: { type: 'array', items: { type: 'object', required: ['id', 'key', 'secret'] } },
  decode: (raw, path, findings) => {
    if (!Array.isArray(raw)) return wrongType(raw, 'list', path, findings);
    const parsed = raw.map((entry: unknown, index) => parseAppRecord(entry, `${path}[${index}]`));
    for (const { problems, warnings, unknownKeys } of parsed) {
      findings.problems.push(...problems);
      findings.warnings.push(...warnings);
      findings.unknownKeys.push(...unknownKeys.map((found) => unknownKey(found.path, found.knownKeys)));
    }
    const records = parsed.map(({ record }) => record);
    findings.problems.push(...duplicateProblems(records, path));
    return given(records.filter((record) => record !== null));
  },
  parse: () => ({ message: 'not settable by a variable' }),
};

export const appManager = table({
  driver: enumeration({
    values: ['memory', 'mysql', 'postgres', 'dynamodb', 'surrealdb', 'scylladb'],
    spellings: { array: 'memory' },
    default: 'memory',
    env: 'APP_MANAGER_DRIVER',
    meaning: 'Where apps are stored',
  }),
  array: table({
    apps: leaf(appsType, {
      default: [],
      specialEnv: [
        ...DEFAULT_APP_KEYS.map((key) => `SERVICE_DEFAULT_APP_${key}`),
        'SERVICE_ENABLE_CLIENT_MESSAGES',
      ],
      meaning: 'Apps of this file; the variables replace them by one app',
    }),
  }),
  register_inline_apps: bool({
    default: true,
    env: ['APP_MANAGER_REGISTER_INLINE_APPS', { name: 'SERVICE_SKIP_INLINE_APPS', effect: 'forces-false' }],
    meaning: 'Write the inline apps to the store at start',
  }),
  cache: table({
    enabled: bool({ default: true, meaning: 'Remember apps' }),
    ttl: derived(
      u64({ default: null, unit: 's', env: 'CACHE_TTL_SECONDS', meaning: 'How long; 0 = no expiry' }),
      '`cache_ttl` of the database that has the apps, else 300',
    ),
    negative_ttl: u64({
      default: 5,
      unit: 's',
      meaning: 'How long a missing app is remembered as missing; 0 = off',
    }),
    refresh_interval: u64({
      default: 30,
      unit: 's',
      meaning: 'Age from which an app is read again in the background; 0 = off',
    }),
    stale_if_error: u64({
      default: 3600,
      unit: 's',
      meaning: 'How long an expired app still serves while the store fails; 0 = off',
    }),
  }),
});
