import { createApp } from '../apps/create-app.js';
import { deleteApp } from '../apps/delete-app.js';
import { setEnabled } from '../apps/enable-app.js';
import { listApps } from '../apps/list-apps.js';
import { expirePreviousSecret, rotateSecret } from '../apps/rotate-secret.js';
import { showApp } from '../apps/show-app.js';
import { updateApp } from '../apps/update-app.js';
import { flag, integer, object, type Schema, text } from '../http/schema.js';
import { route } from './route.js';

/** Checked by the parser of app records, which names every invalid field at once. */
const NEW_APP: Schema = {
  type: 'object',
  properties: {
    id: { description: '1 to 64 of A-Z a-z 0-9 _ -; absent: generated' },
    key: { description: '1 to 255 characters; absent: generated' },
    secret: { description: '16 to 255 visible ASCII characters; absent: generated and shown once' },
    enabled: { description: 'Absent: true' },
    policy: { description: 'Limits, features, channels and webhooks of the app' },
  },
};
const PATCH: Schema = {
  type: 'object',
  properties: {
    key: { description: 'New key' },
    enabled: { description: 'Whether the app serves connections and requests' },
    policy: { description: 'Merge patch of the policy' },
  },
};

const APP = '/apps/:app_id';
const write = { scope: 'write', app: 'app', errors: ['read_only_store'] } as const;
const admin = { scope: 'admin', app: 'app', errors: ['conflict', 'read_only_store'] } as const;

export const appRoutes = [
  route({
    method: 'GET',
    path: '/apps',
    name: 'listApps',
    summary: 'Lists apps',
    scope: 'read',
    app: 'visible',
    isList: true,
    query: {
      prefix: text('Prefix of the id', { maxLength: 64 }),
      enabled: flag('Only enabled or only disabled apps'),
    },
    handle: listApps,
  }),
  route({
    method: 'POST',
    path: '/apps',
    name: 'createApp',
    summary: 'Creates an app',
    scope: 'admin',
    app: 'all',
    body: NEW_APP,
    mayLackBody: true,
    status: 201,
    errors: ['conflict', 'read_only_store', 'backpressure'],
    action: 'app.create',
    handle: createApp,
  }),
  route({
    method: 'GET',
    path: APP,
    name: 'showApp',
    summary: 'Shows an app',
    scope: 'read',
    app: 'app',
    handle: showApp,
  }),
  route({
    method: 'PATCH',
    path: APP,
    name: 'updateApp',
    summary: 'Changes an app by a merge patch',
    ...write,
    body: PATCH,
    bodyTypes: ['application/merge-patch+json'],
    errors: ['conflict', 'precondition_failed', 'precondition_required', 'read_only_store'],
    action: 'app.update',
    handle: updateApp,
  }),
  route({
    method: 'POST',
    path: `${APP}/disable`,
    name: 'disableApp',
    summary: 'Disables an app',
    ...write,
    action: 'app.disable',
    handle: setEnabled(false),
  }),
  route({
    method: 'POST',
    path: `${APP}/enable`,
    name: 'enableApp',
    summary: 'Enables an app',
    ...write,
    action: 'app.enable',
    handle: setEnabled(true),
  }),
  route({
    method: 'DELETE',
    path: APP,
    name: 'deleteApp',
    summary: 'Deletes a disabled app',
    ...admin,
    app: 'all',
    status: 204,
    query: { confirm: text('Id of the app, once more') },
    action: 'app.delete',
    handle: deleteApp,
  }),
  route({
    method: 'POST',
    path: `${APP}/rotate-secret`,
    name: 'rotateSecret',
    summary: 'Replaces the secret of an app',
    ...admin,
    mayLackBody: true,
    body: object({
      grace_seconds: integer('Validity of the replaced secret', 0, 2_592_000),
      replace_previous: flag('Whether a previous secret that is still valid may be dropped'),
    }),
    action: 'app.rotate_secret',
    handle: rotateSecret,
  }),
  route({
    method: 'POST',
    path: `${APP}/expire-previous-secret`,
    name: 'expirePreviousSecret',
    summary: 'Ends the validity of the previous secret',
    ...admin,
    action: 'app.expire_previous_secret',
    handle: expirePreviousSecret,
  }),
];
