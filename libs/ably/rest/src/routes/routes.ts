import { COMPAT_PUSH_ROUTES } from './push-routes.js';
import { type CompatRoute, routesOf } from './route.js';
import * as schemas from './schemas.js';

const CHANNEL = '/channels/:channel';
const MESSAGE = `${CHANNEL}/messages/:serial`;
const AS_CLIENT = ['clientId', 'clientIdHeader'] as const;
const PAGES = ['limit', 'cursor'] as const;
const TIMES = ['direction', 'startTime', 'endTime'] as const;
const HISTORY = { rights: '`history` on the channel' };
const SEES_MEMBERS = { rights: '`subscribe` or `presence` on the channel' };

const token = routesOf('tokens');
const message = routesOf('messages');
const presence = routesOf('presence');
const statistics = routesOf('statistics');
const connection = routesOf('connection');

/** Every route for Ably clients, by the name that clients made from the document give it. */
export const COMPAT_ROUTES = {
  connect: connection(
    'GET',
    '/',
    'Open a connection, as WebSocket',
    { 101: null },
    {
      rights: 'the credentials alone; each channel asks for its own',
    },
  ),
  time: connection('GET', '/time', 'The time of the service', { 200: schemas.TIME }, { proof: 'nothing' }),
  requestToken: token(
    'POST',
    '/keys/:keyName/requestToken',
    'A token for a signed request',
    { 200: schemas.TOKEN.schema },
    { proof: 'nothing', body: schemas.TOKEN_REQUEST.schema },
  ),
  revokeTokens: token(
    'POST',
    '/keys/:keyName/revokeTokens',
    'Take tokens of the key back',
    { 200: schemas.REVOKED },
    {
      proof: 'key',
      rights: 'the very key, whose tokens can be revoked',
      body: schemas.REVOCATION,
    },
  ),
  publish: message(
    'POST',
    `${CHANNEL}/messages`,
    'Publish to a channel',
    { 201: schemas.PUBLISHED.schema },
    {
      alias: `${CHANNEL}/publish`,
      rights: '`publish` on the channel',
      parameters: AS_CLIENT,
      body: schemas.NEW_MESSAGES,
    },
  ),
  publishBatch: message(
    'POST',
    '/messages',
    'Publish to several channels',
    { 200: schemas.BATCHES_DONE, 201: schemas.BATCH_DONE, 400: schemas.BATCH_REFUSED },
    { rights: '`publish` on each channel', parameters: AS_CLIENT, body: schemas.BATCHES },
  ),
  history: message(
    'GET',
    `${CHANNEL}/messages`,
    'What was published to a channel',
    { 200: schemas.listed(schemas.MESSAGE) },
    {
      ...HISTORY,
      alias: `${CHANNEL}/history`,
      parameters: [...PAGES, ...TIMES, 'fromSerial', 'untilAttach'],
      isPaged: true,
    },
  ),
  findMessage: message('GET', MESSAGE, 'A message as it is now', { 200: schemas.MESSAGE.schema }, HISTORY),
  editMessage: message(
    'PATCH',
    MESSAGE,
    'Change a message',
    { 200: schemas.EDITED.schema },
    {
      rights: '`message-update-*`, `message-delete-*` or `message-append-*` on the channel, of the action',
      parameters: [...AS_CLIENT, 'editKey'],
      body: schemas.EDIT.schema,
    },
  ),
  listVersions: message(
    'GET',
    `${MESSAGE}/versions`,
    'Versions of a message',
    { 200: schemas.listed(schemas.MESSAGE) },
    { ...HISTORY, parameters: [...PAGES, 'versionDirection'], isPaged: true },
  ),
  listAnnotations: message(
    'GET',
    `${MESSAGE}/annotations`,
    'Annotations of a message',
    { 200: schemas.listed(schemas.ANNOTATION) },
    {
      rights: '`annotation-subscribe` on the channel',
      parameters: ['limitTo1000', 'cursor', 'type'],
      isPaged: true,
    },
  ),
  annotate: message(
    'POST',
    `${MESSAGE}/annotations`,
    'Annotate a message',
    { 201: schemas.NOTHING },
    {
      rights: '`annotation-publish` on the channel; to take back, `annotation-delete-*`',
      parameters: AS_CLIENT,
      body: schemas.NEW_ANNOTATIONS,
    },
  ),
  listMembers: presence(
    'GET',
    `${CHANNEL}/presence`,
    'Who is there',
    { 200: schemas.listed(schemas.MEMBER) },
    {
      ...SEES_MEMBERS,
      parameters: ['limitTo1000', 'cursor', 'clientFilter', 'connectionFilter'],
      isPaged: true,
    },
  ),
  presenceHistory: presence(
    'GET',
    `${CHANNEL}/presence/history`,
    'Who came, changed and went',
    { 200: schemas.listed(schemas.MEMBER) },
    { ...HISTORY, parameters: [...PAGES, ...TIMES, 'clientFilter', 'connectionFilter'], isPaged: true },
  ),
  listMembersOfMany: presence(
    'GET',
    '/presence',
    'Who is on several channels',
    { 200: schemas.MEMBERS_OF_MANY },
    { ...SEES_MEMBERS, parameters: ['channels'] },
  ),
  channelStatus: presence(
    'GET',
    CHANNEL,
    'How many are there',
    { 200: schemas.CHANNEL_STATUS.schema },
    {
      rights: '`channel-metadata`, or anything else, on the channel',
    },
  ),
  stats: statistics(
    'GET',
    '/stats',
    'What the app did',
    { 200: schemas.listed(schemas.INTERVAL) },
    {
      rights: '`stats`; without credentials the service answers for itself',
      parameters: ['unit', 'start', 'end', 'statsDirection', 'limitTo1000', 'cursor'],
      isPaged: true,
    },
  ),
  putStats: statistics(
    'POST',
    '/stats',
    'Make statistics up, for tests',
    { 201: schemas.NOTHING },
    {
      rights: '`stats`',
      body: schemas.FIXTURES,
    },
  ),
  statsAggregation: statistics(
    'GET',
    '/operator/stats/aggregation',
    'How statistics are written',
    { 200: schemas.AGGREGATION.schema },
    { proof: 'nothing' },
  ),
  compatRuntime: statistics(
    'GET',
    '/operator/stats/compat-runtime',
    'Counters of the process',
    { 200: schemas.COUNTERS.schema },
    { proof: 'nothing' },
  ),
  ...COMPAT_PUSH_ROUTES,
} as const satisfies Readonly<Record<string, CompatRoute>>;

export type CompatRouteName = keyof typeof COMPAT_ROUTES;
export type CompatPushRouteName = keyof typeof COMPAT_PUSH_ROUTES;
