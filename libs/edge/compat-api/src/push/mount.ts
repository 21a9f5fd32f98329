import type { CompatCore } from '@carillon/compat-core';
import type { PushOperations } from '@carillon/push';
import type { Entry } from '../access.js';
import type { Route } from '../exchange.js';
import { PushEntry } from './caller.js';
import { DeviceRoutes } from './device-routes.js';
import { PushPublishing } from './publish-routes.js';
import { SubscriptionRoutes } from './subscription-routes.js';

export type Method = 'DELETE' | 'GET' | 'PATCH' | 'POST' | 'PUT';

const DEVICES = '/push/deviceRegistrations';
const DEVICE = `${DEVICES}/:deviceId`;
const SUBSCRIPTIONS = '/push/channelSubscriptions';

/** The routes of push, each one more face of an operation that the service has anyway. */
export function pushRoutes(
  core: CompatCore,
  push: PushOperations,
  requests: Pick<Entry, 'about'>,
  now: () => number,
): readonly (readonly [Method, string, Route])[] {
  const entry = new PushEntry(core, push, requests, now);
  const devices = new DeviceRoutes(entry, now);
  const subscriptions = new SubscriptionRoutes(entry);
  const publishing = new PushPublishing(core, push, entry);
  return [
    ['POST', DEVICES, devices.register],
    ['GET', DEVICES, devices.list],
    ['DELETE', DEVICES, devices.removeWhere],
    ['PUT', DEVICE, devices.replace],
    ['PATCH', DEVICE, devices.change],
    ['GET', DEVICE, devices.find],
    ['DELETE', DEVICE, devices.remove],
    ['POST', SUBSCRIPTIONS, subscriptions.put],
    ['GET', SUBSCRIPTIONS, subscriptions.list],
    ['DELETE', SUBSCRIPTIONS, subscriptions.remove],
    ['GET', '/push/channels', subscriptions.channels],
    ['GET', '/push/publicVapidKey', publishing.webKey],
    ['POST', '/push/publish', publishing.publish],
  ];
}
