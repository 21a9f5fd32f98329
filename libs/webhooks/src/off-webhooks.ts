import type { App } from '@carillon/app-registry';
import { NO_WEBHOOKS, type WebhookEvents } from './port.js';

/** Sends no webhooks, and reports that once when an app has some configured. */
export function offWebhooks(say: () => void): WebhookEvents {
  let isSaid = false;
  const look = (app: App | string): void => {
    if (isSaid || typeof app === 'string' || app.record.policy.webhooks.length === 0) return;
    isSaid = true;
    say();
  };
  return {
    ...NO_WEBHOOKS,
    wants: (app) => {
      look(app);
      return false;
    },
    emit: look,
    channelOccupied: (app, channel, change) => {
      look(app);
      NO_WEBHOOKS.channelOccupied(app, channel, change);
    },
    memberAdded: (app, channel, userId, change) => {
      look(app);
      NO_WEBHOOKS.memberAdded(app, channel, userId, change);
    },
  };
}
