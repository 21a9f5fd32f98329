import { appRoutes } from './apps.js';
import { channelRoutes } from './channels.js';
import { fleetRoutes } from './fleet.js';
import { pushRoutes } from './push.js';
import { queueRoutes } from './queues.js';
import type { Route } from './route.js';
import { serviceRoutes } from './service.js';
import { sessionRoutes } from './session.js';
import { webhookRoutes } from './webhooks.js';

/** Every route of the management API. Handlers, authorization, the document and the tests follow from these rows. */
export const ROUTES: readonly Route[] = [
  ...sessionRoutes,
  ...appRoutes,
  ...channelRoutes,
  ...pushRoutes,
  ...queueRoutes,
  ...webhookRoutes,
  ...fleetRoutes,
  ...serviceRoutes,
];
