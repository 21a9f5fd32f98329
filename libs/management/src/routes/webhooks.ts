import { WEBHOOK_EVENT_NAMES } from '@carillon/config';
import { object, oneOf } from '../http/schema.js';
import { listWebhooks } from '../webhooks/list-webhooks.js';
import { testWebhook } from '../webhooks/test-webhook.js';
import { route } from './route.js';

const WEBHOOKS = '/apps/:app_id/webhooks';

export const webhookRoutes = [
  route({
    method: 'GET',
    path: WEBHOOKS,
    name: 'listWebhooks',
    summary: 'Lists webhooks with their last answers',
    scope: 'read',
    app: 'app',
    handle: listWebhooks,
  }),
  route({
    method: 'POST',
    path: `${WEBHOOKS}/:webhook_id/test`,
    name: 'testWebhook',
    summary: 'Sends a test event to a webhook',
    scope: 'write',
    app: 'app',
    mayLackBody: true,
    body: object({ event_type: oneOf('Absent: the first event type of the webhook', WEBHOOK_EVENT_NAMES) }),
    errors: ['not_found'],
    action: 'webhook.test',
    handle: testWebhook,
  }),
];
