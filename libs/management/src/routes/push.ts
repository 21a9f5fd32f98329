import { performPush, pushQuery } from '../push/perform-push.js';
import { pushStatus } from '../push/push-status.js';
import { route } from './route.js';

const PUSH = '/apps/:app_id/push';
const read = { method: 'GET', scope: 'read', app: 'app', errors: ['feature_disabled'] } as const;

export const pushRoutes = [
  route({
    ...read,
    path: `${PUSH}/status`,
    name: 'pushStatus',
    summary: 'State of push: providers, lag, quotas',
    handle: pushStatus,
  }),
  route({
    ...read,
    path: `${PUSH}/devices`,
    name: 'listPushDevices',
    summary: 'Lists devices without their recipients',
    query: pushQuery('listPushDevices'),
    handle: (call, parts) => performPush('listPushDevices', call, parts),
  }),
  route({
    ...read,
    scope: 'admin',
    path: `${PUSH}/credentials`,
    name: 'listPushCredentials',
    summary: 'Lists credentials of providers without their secrets',
    query: pushQuery('listPushCredentials'),
    handle: (call, parts) => performPush('listPushCredentials', call, parts),
  }),
  route({
    ...read,
    path: `${PUSH}/dead-letters`,
    name: 'listPushDeadLetters',
    summary: 'Lists push deliveries that failed',
    query: pushQuery('listPushDeadLetters'),
    handle: (call, parts) => performPush('listPushDeadLetters', call, parts),
  }),
  route({
    method: 'POST',
    path: `${PUSH}/dead-letters/:id/replay`,
    name: 'replayPushDeadLetter',
    summary: 'Delivers a failed push again',
    scope: 'admin',
    app: 'app',
    status: 202,
    errors: ['feature_disabled', 'not_found'],
    action: 'push.replay',
    handle: (call, parts) => performPush('replayPushDeadLetter', call, parts),
  }),
];
