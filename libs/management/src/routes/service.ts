import { AUDIT_ACTIONS } from '../audit/entry.js';
import { listAudit } from '../audit/list-audit.js';
import { showConfig } from '../config/show-config.js';
import { showDocument } from '../document/show-document.js';
import { oneOf, text, timeMs } from '../http/schema.js';
import { route } from './route.js';

export const serviceRoutes = [
  route({
    method: 'GET',
    path: '/openapi.json',
    name: 'showDocument',
    summary: 'OpenAPI document of this API',
    scope: 'any',
    app: 'none',
    handle: showDocument,
  }),
  route({
    method: 'GET',
    path: '/config',
    name: 'showConfig',
    summary: 'Effective configuration of the answering process, without secrets',
    scope: 'admin',
    app: 'all',
    action: 'config.read',
    handle: showConfig,
  }),
  route({
    method: 'GET',
    path: '/audit',
    name: 'listAudit',
    summary: 'Audit log, newest entries first',
    scope: 'admin',
    app: 'visible',
    isList: true,
    query: {
      app_id: text('Only entries about this app', { maxLength: 255 }),
      principal: text('Only entries of this principal', { maxLength: 64 }),
      action: oneOf('Only entries of this action', AUDIT_ACTIONS),
      since_ms: timeMs('Only entries from this time on'),
      until_ms: timeMs('Only entries before this time'),
    },
    handle: listAudit,
  }),
];
