import { flag, integer, object, text, timeMs } from '../http/schema.js';
import {
  deleteDeadLetter,
  deleteDeadLetters,
  replayDeadLetter,
  replayDeadLetters,
} from '../queues/change-dead-letters.js';
import { listDeadLetters, showDeadLetter } from '../queues/list-dead-letters.js';
import { listQueues } from '../queues/list-queues.js';
import { route } from './route.js';

const LETTERS = '/queues/:queue/dead-letters';
const FILTER = {
  app_id: text('Only dead letters of this app', { maxLength: 255 }),
  since_ms: timeMs('Only those that failed from this time on'),
  until_ms: timeMs('Only those that failed before this time'),
};
const BODY = object(
  {
    filter: object(FILTER),
    confirm_queue: text('Name of the queue, once more'),
    confirm_count: integer('Number of matching dead letters', 0, 10_000),
  },
  ['filter', 'confirm_queue', 'confirm_count'],
);
const letters = { app: 'visible', errors: ['not_found', 'not_implemented'] } as const;
const change = { ...letters, scope: 'admin', method: 'POST' } as const;

export const queueRoutes = [
  route({
    method: 'GET',
    path: '/queues',
    name: 'listQueues',
    summary: 'Lists queues with their depths',
    scope: 'read',
    app: 'all',
    isList: true,
    handle: listQueues,
  }),
  route({
    ...letters,
    method: 'GET',
    path: LETTERS,
    name: 'listDeadLetters',
    summary: 'Lists dead letters, oldest first',
    scope: 'read',
    isList: true,
    query: FILTER,
    handle: listDeadLetters,
  }),
  route({
    ...letters,
    method: 'GET',
    path: `${LETTERS}/:id`,
    name: 'showDeadLetter',
    summary: 'Shows a dead letter',
    scope: 'read',
    query: { payload: flag('Whether the payload is included; audited') },
    action: ({ payload }) => (payload === true ? 'dead_letter.read' : null),
    handle: showDeadLetter,
  }),
  route({
    ...change,
    path: `${LETTERS}/:id/replay`,
    name: 'replayDeadLetter',
    summary: 'Makes a dead letter ready again',
    status: 202,
    action: 'dead_letter.replay',
    handle: replayDeadLetter,
  }),
  route({
    ...change,
    method: 'DELETE',
    path: `${LETTERS}/:id`,
    name: 'deleteDeadLetter',
    summary: 'Deletes a dead letter',
    status: 204,
    action: 'dead_letter.delete',
    handle: deleteDeadLetter,
  }),
  route({
    ...change,
    path: `${LETTERS}/replay`,
    name: 'replayDeadLetters',
    summary: 'Makes all matching dead letters ready again',
    body: BODY,
    errors: ['not_found', 'not_implemented', 'conflict'],
    action: 'dead_letter.replay',
    handle: replayDeadLetters,
  }),
  route({
    ...change,
    path: `${LETTERS}/delete`,
    name: 'deleteDeadLetters',
    summary: 'Deletes all matching dead letters',
    body: BODY,
    errors: ['not_found', 'not_implemented', 'conflict'],
    action: 'dead_letter.delete',
    handle: deleteDeadLetters,
  }),
];
