import { createSession } from '../session/create-session.js';
import { deleteSession } from '../session/delete-session.js';
import { showSession } from '../session/show-session.js';
import { object, text } from '../http/schema.js';
import { route } from './route.js';

export const sessionRoutes = [
  route({
    method: 'POST',
    path: '/session',
    name: 'createSession',
    summary: 'Opens a session for a browser',
    scope: null,
    app: 'none',
    status: 201,
    body: object({
      token: text('Operator token', { maxLength: 200 }),
      one_time_token: text('Token of the one-time login URL', { maxLength: 200 }),
    }),
    errors: ['csrf_failed', 'insecure_transport', 'rate_limited'],
    handle: createSession,
  }),
  route({
    method: 'GET',
    path: '/session',
    name: 'showSession',
    summary: 'Shows the principal of the credential',
    scope: 'any',
    app: 'none',
    handle: showSession,
  }),
  route({
    method: 'DELETE',
    path: '/session',
    name: 'deleteSession',
    summary: 'Ends the session',
    scope: 'any',
    app: 'none',
    status: 204,
    action: 'session.logout',
    handle: deleteSession,
  }),
];
