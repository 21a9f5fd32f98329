import type { CompatCore } from '@carillon/ably-core';
import type { PushOperations } from '@carillon/push-core';
import type { Entry } from '../access.js';
import type { Route } from '../exchange.js';
import type { CompatPushRouteName } from '../routes/routes.js';
import { PushEntry } from './caller.js';
import { DeviceRoutes } from './device-routes.js';
import { PushPublishing } from './publish-routes.js';
import { SubscriptionRoutes } from './subscription-routes.js';

/** The routes of push, each one more face of an operation that the service has anyway. */
export function pushRoutes(
  core: CompatCore,
  push: PushOperations,
  requests: Pick<Entry, 'about'>,
  now: () => number,
): Readonly<Record<CompatPushRouteName, Route>> {
  const entry = new PushEntry(core, push, requests, now);
  const devices = new DeviceRoutes(entry, now);
  const subscriptions = new SubscriptionRoutes(entry);
  const publishing = new PushPublishing(core, push, entry);
  return {
    registerDevice: devices.register,
    listDevices: devices.list,
    removeDevices: devices.removeWhere,
    replaceDevice: devices.replace,
    changeDevice: devices.change,
    findDevice: devices.find,
    removeDevice: devices.remove,
    putSubscription: subscriptions.put,
    listSubscriptions: subscriptions.list,
    removeSubscriptions: subscriptions.remove,
    listPushChannels: subscriptions.channels,
    webPushKey: publishing.webKey,
    publishPush: publishing.publish,
  };
}
