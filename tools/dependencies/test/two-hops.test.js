// Rules of the service, each found in two steps: the table of the package's README, then the line of the file it names.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

import { namedFiles } from '../readme-tables.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Rule; package; start of its row; file; text in the file. */
const RULES = [
  [
    'a channel has so many members in a whole cluster',
    'presence',
    'most members of a channel',
    'cluster/scripts/apply.lua',
    'most_subjects',
  ],
  [
    'memory, node and app say who may come in',
    'realtime',
    'connection quotas of node and app',
    'src/entry/connection-slots.ts',
    "admission.state() === 'MEMORY_PRESSURE'",
  ],
  [
    'a user watches 100 others',
    'sockets',
    'sign-in, and how many',
    'requests/signin.ts',
    'MAX_WATCHED = 100',
  ],
  [
    'an app says how many client events a connection may send',
    'sockets',
    'who may send client events',
    'libs/realtime/src/apps/app-rules.ts',
    'limits.maxClientEvents',
  ],
  [
    'a wrong channel signature is 401',
    'sockets',
    'who may subscribe to what',
    'requests/subscribe-verdict.ts',
    "failure('auth_failed', 401",
  ],
  [
    'a request is 600 s old at most',
    'auth',
    'which request is authentic',
    'request/verify-request.ts',
    'TIMESTAMP_WINDOW_SECONDS = 600',
  ],
  [
    'a token has 8192 bytes at most',
    'auth',
    'tokens: claims',
    'capability/token.ts',
    'MAX_TOKEN_BYTES = 8192',
  ],
  [
    'a pattern never brings private channels',
    'channels',
    'meta channels and subscriptions by pattern',
    'wildcard.ts',
    "startsWith('private-')",
  ],
  ['base#user admits that user alone', 'channels', '`base#u1,u2`', 'user-limit.ts', 'usersOf'],
  [
    'a rewind counts messages or seconds',
    'realtime',
    'rewind: channel history',
    'src/recovery/rewind-selection.ts',
    'wish.seconds * 1000',
  ],
  [
    'a replay is bounded in count, bytes and age',
    'history/positions',
    'serial and entry in one atomic step',
    'src/redis/scripts/append.lua',
    'most_age_ms',
  ],
  [
    'a publish names so many channels',
    'api/operations',
    'which channels, how many',
    'publish/targets.ts',
    'maxEventChannelsAtOnce',
  ],
  [
    'an app publishes so much a second',
    'api/operations',
    'rates of an app per second',
    'app-rate.ts',
    'maxBackendEventsPerSecond',
  ],
  [
    'a key with other content is a conflict',
    'api/operations',
    'a message once per channel and key',
    'idempotency/message-receipts.ts',
    "ServiceError('conflict'",
  ],
  ['a cursor belongs to its walk', 'history/reader', 'a cursor belongs', 'cursor.ts', 'MAX_CURSOR_BYTES'],
  [
    'an accumulated message has a bound',
    'history/messages',
    'what a change makes of a message',
    'src/mutation.ts',
    'max_accumulated_message_bytes',
  ],
  [
    'others are told after 3 s that a channel is vacated',
    'webhooks',
    'vacated and removed',
    'absence/absences.ts',
    'SETTLE_MS = 3000',
  ],
  [
    '429 of a receiver is tried again',
    'webhooks',
    'which answers are tried again',
    'delivery/retry.ts',
    'new Set([408, 409, 425, 429])',
  ],
  [
    'a long request head is 431',
    'platform/uws',
    'the way of a request',
    'http/dispatcher.ts',
    "'headers_too_large'",
  ],
  [
    'pages of other origins do not reach the tools',
    'mcp',
    'order of everything before the protocol',
    'http/entrance.ts',
    'isOriginAllowed',
  ],
];

it.each(RULES)('%s', (_rule, name, row, file, line) => {
  const folder = join(root, 'libs', name);
  const page = readFileSync(join(folder, 'README.md'), 'utf8');
  const found = page.split('\n').filter((text) => text.startsWith(`| ${row}`));
  expect(found).toHaveLength(1);
  expect(namedFiles(`| rule | file |\n${found[0]}`)).toContain(file);
  const path =
    [join(folder, 'src'), folder, root].map((base) => join(base, file)).find((one) => existsSync(one)) ??
    file;
  expect(readFileSync(path, 'utf8')).toContain(line);
});
