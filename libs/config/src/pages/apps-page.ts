import { parseAppRecord } from '../apps/app-record.js';
import type { AppPolicy, AppRecord } from '../apps/record.js';
import { WEBHOOK_EVENT_NAMES } from '../apps/webhook-entry.js';
import * as fields from './app-fields.js';

/** A record with every table and no values, so that its values are the defaults. */
const BARE = {
  id: '1001',
  key: 'key',
  secret: 'secret',
  policy: {
    limits: { message_rate_limit: {} },
    channels: {
      channel_namespaces: [{ name: 'name' }],
      channel_delta_compression: { pattern: {} },
    },
    webhooks: [{ url: 'https://example.com/', event_types: ['member_added'], filter: {}, retry: {} }],
    idempotency: {},
    connection_recovery: {},
    history: {},
    presence_history: {},
  },
};

/** Members without a default: they are needed, or tables that are described for themselves. */
const SHOWN_ELSEWHERE = new Set([
  'id',
  'key',
  'secret',
  'name',
  'url',
  'event_types',
  'filter',
  'retry',
  'message_rate_limit',
]);

interface Section {
  readonly title: string;
  readonly about: string;
  readonly meanings: Readonly<Record<string, string>>;
  readonly defaults: object | null | undefined;
}

function defaultText(name: string, defaults: object): string {
  const value = (defaults as Readonly<Record<string, unknown>>)[name];
  if (SHOWN_ELSEWHERE.has(name)) return '–';
  if (value === null || value === undefined) return 'unset';
  if (typeof value !== 'object') return `\`${JSON.stringify(value)}\``;
  return 'empty';
}

const row = (name: string, meaning: string, defaults: object): string =>
  `| \`${name}\` | ${defaultText(name, defaults)} | ${meaning.replaceAll('|', '\\|')} |`;

const section = ({ title, about, meanings, defaults }: Section): readonly string[] => [
  '',
  `## ${title}`,
  '',
  about,
  '',
  '| field | default | meaning |',
  '|---|---|---|',
  ...Object.entries(meanings).map(([name, meaning]) => row(name, meaning, defaults ?? {})),
];

function bareRecord(): AppRecord {
  const { record } = parseAppRecord(BARE, '');
  if (record === null) throw new Error('a record with nothing but what it needs does not read');
  return record;
}

const LIMITS_ABOUT =
  'What is unset is as the global settings say; 0 is unlimited. Numbers may be written as strings of digits.';

const at = (
  title: string,
  meanings: object,
  defaults: object | null | undefined,
  about: string,
): Section => ({
  title,
  about,
  meanings: { ...meanings },
  defaults,
});

function sections(
  record: AppRecord,
  { limits, features, channels, ...policy }: AppPolicy,
): readonly Section[] {
  const { filter, retry } = policy.webhooks[0] ?? { filter: null, retry: null };
  const events = WEBHOOK_EVENT_NAMES.map((name) => `\`${name}\``).join(', ');
  return [
    at('The record', fields.RECORD, record, 'Everything else stands in its table `policy`.'),
    at('`policy.limits`', fields.LIMITS, limits, LIMITS_ABOUT),
    at(
      '`policy.limits.message_rate_limit`',
      fields.MESSAGE_RATE_LIMIT,
      limits.message_rate_limit,
      'Counts every inbound frame of a socket.',
    ),
    at('`policy.features`', fields.FEATURES, features, 'What clients may do; unset counts as false.'),
    at('`policy.channels`', fields.CHANNELS, channels, 'Rules for the channels of the app.'),
    at(
      '`policy.channels.channel_namespaces[]`',
      fields.NAMESPACE,
      channels.channel_namespaces[0],
      'What holds for the channels of one namespace. What is unset is as the app says.',
    ),
    at(
      '`policy.channels.channel_delta_compression.<pattern>`',
      fields.DELTA,
      channels.channel_delta_compression.get('pattern') as object,
      'The long form of an entry.',
    ),
    at('`policy.history`', fields.HISTORY, policy.history, 'Instead of the global `[history]`.'),
    at(
      '`policy.presence_history`',
      fields.PRESENCE_HISTORY,
      policy.presence_history,
      'Instead of the global `[presence_history]`.',
    ),
    at(
      '`policy.idempotency`',
      fields.IDEMPOTENCY,
      policy.idempotency,
      'Instead of the global `[idempotency]`.',
    ),
    at(
      '`policy.connection_recovery`',
      fields.RECOVERY,
      policy.connection_recovery,
      'Instead of the global `[connection_recovery]`.',
    ),
    at('`policy.webhooks[]`', fields.WEBHOOK, policy.webhooks[0], `One receiver. Events: ${events}.`),
    at('`policy.webhooks[].filter`', fields.WEBHOOK_FILTER, filter, 'All that is set must hold.'),
    at(
      '`policy.webhooks[].retry`',
      fields.WEBHOOK_RETRY,
      retry,
      'What is unset is as in `[webhooks.retry]`.',
    ),
  ];
}

/** The page with every field of an app. */
export function appsPage(): string {
  const record = bareRecord();
  return [
    '# Apps',
    '',
    'Generated from `libs/config/src/apps`; do not edit.',
    '',
    'An app is a record in `[[app_manager.array.apps]]`, in the store that `app_manager.driver` names, or the one that',
    '`SERVICE_DEFAULT_APP_*` describes. The same JSON everywhere; the older flat form, with the fields of limits, features',
    'and channels directly on the record, is read too where there is no `policy`. Unknown fields are reported and kept.',
    '',
    'An id of **digits alone** suits every library: those of Python and Go that read an address like',
    '`http://key:secret@host/apps/1001` take nothing else. Libraries that are given id, key and secret take any id.',
    '',
    '```toml',
    '[[app_manager.array.apps]]',
    'id = "1001"',
    'key = "shop-key"',
    'secret = "${SHOP_SECRET}"',
    '',
    '[app_manager.array.apps.policy.features]',
    'enable_client_messages = true',
    '',
    '[[app_manager.array.apps.policy.channels.channel_namespaces]]',
    'name = "chat"',
    'allow_user_limited_channels = true',
    '```',
    ...sections(record, record.policy).flatMap(section),
    '',
  ].join('\n');
}
