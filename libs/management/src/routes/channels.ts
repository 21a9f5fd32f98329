import type { Schema } from '../http/schema.js';
import { ofHistory } from '../operations/history.js';
import { optionsOf } from '../operations/perform.js';
import { publish } from '../operations/publish.js';
import { route } from './route.js';

const APP = '/apps/:app_id';
const HISTORY = `${APP}/channels/:channel/history`;
/** The operation checks the members. */
const BODY: Schema = { type: 'object' };
const read = { scope: 'read', app: 'app', errors: ['feature_disabled', 'backpressure'] } as const;
const remove = {
  method: 'POST',
  scope: 'admin',
  app: 'app',
  body: BODY,
  errors: ['feature_disabled', 'backpressure'],
} as const;

export const channelRoutes = [
  route({
    method: 'GET',
    path: HISTORY,
    name: 'readHistory',
    summary: 'Reads the history of a channel',
    ...read,
    query: optionsOf('readHistory'),
    handle: ofHistory('readHistory'),
  }),
  route({
    method: 'GET',
    path: `${HISTORY}/state`,
    name: 'historyState',
    summary: 'Shows the state of the history of a channel',
    ...read,
    query: optionsOf('historyState'),
    handle: ofHistory('historyState'),
  }),
  route({
    ...remove,
    path: `${HISTORY}/reset`,
    name: 'resetHistory',
    summary: 'Deletes the history of a channel and starts a new stream',
    action: 'history.reset',
    handle: ofHistory('resetHistory'),
  }),
  route({
    ...remove,
    path: `${HISTORY}/purge`,
    name: 'purgeHistory',
    summary: 'Deletes old messages of the history of a channel',
    action: 'history.purge',
    handle: ofHistory('purgeHistory'),
  }),
  route<unknown, Readonly<Record<string, unknown>>>({
    method: 'POST',
    path: `${APP}/events`,
    name: 'publishEvents',
    summary: 'Publishes an event or a batch of events',
    scope: 'write',
    app: 'app',
    body: BODY,
    errors: ['limit_exceeded', 'missing_channel_info', 'conflict', 'backpressure'],
    action: 'event.publish',
    handle: publish,
  }),
];
