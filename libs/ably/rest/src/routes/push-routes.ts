import {
  DEVICE,
  DEVICE_AT_PATH,
  DEVICE_CHANGE,
  NEW_DEVICE,
  PUSH,
  REGISTERED_DEVICE,
  SUBSCRIPTION,
} from './push-schemas.js';
import { routesOf } from './route.js';
import { listed, NOTHING } from './schemas.js';

const DEVICES = '/push/deviceRegistrations';
const ONE_DEVICE = `${DEVICES}/:deviceId`;
const SUBSCRIPTIONS = '/push/channelSubscriptions';
const PAGES = ['limitTo1000', 'cursor'] as const;
const FILTERS = ['channelFilter', 'deviceFilter', 'clientFilter'] as const;

const route = routesOf('push');
const byAdmin = { rights: '`push-admin`' };
const byDevice = { proof: 'device', rights: '`push-admin`, or the token of the device' } as const;
const own = {
  proof: 'device',
  rights: '`push-admin`; a device with its token its own, a client with `push-subscribe` its own',
} as const;

/** Notifications to devices. */
export const COMPAT_PUSH_ROUTES = {
  registerDevice: route(
    'POST',
    DEVICES,
    'Register a device',
    { 201: REGISTERED_DEVICE.schema },
    {
      proof: 'device',
      rights: '`push-admin` or `push-subscribe`, or the token of the device',
      body: NEW_DEVICE.schema,
    },
  ),
  listDevices: route(
    'GET',
    DEVICES,
    'Devices',
    { 200: listed(DEVICE) },
    {
      ...byAdmin,
      parameters: ['deviceFilter', 'clientFilter', ...PAGES],
      isPaged: true,
    },
  ),
  removeDevices: route(
    'DELETE',
    DEVICES,
    'Remove the devices of a client, or one',
    { 204: null },
    {
      ...byDevice,
      parameters: ['deviceFilter', 'clientFilter'],
    },
  ),
  replaceDevice: route(
    'PUT',
    ONE_DEVICE,
    'Register or replace a device',
    { 200: REGISTERED_DEVICE.schema },
    {
      ...byDevice,
      body: DEVICE_AT_PATH.schema,
    },
  ),
  changeDevice: route(
    'PATCH',
    ONE_DEVICE,
    'Change a device',
    { 200: REGISTERED_DEVICE.schema },
    {
      ...byDevice,
      body: DEVICE_CHANGE.schema,
    },
  ),
  findDevice: route('GET', ONE_DEVICE, 'One device', { 200: DEVICE.schema }, byDevice),
  removeDevice: route('DELETE', ONE_DEVICE, 'Remove a device', { 204: null }, byDevice),
  putSubscription: route(
    'POST',
    SUBSCRIPTIONS,
    'Subscribe a device or a client',
    { 201: SUBSCRIPTION.schema },
    {
      ...own,
      body: SUBSCRIPTION.schema,
    },
  ),
  listSubscriptions: route(
    'GET',
    SUBSCRIPTIONS,
    'Subscriptions',
    { 200: listed(SUBSCRIPTION) },
    {
      ...own,
      parameters: [...FILTERS, ...PAGES],
      isPaged: true,
    },
  ),
  removeSubscriptions: route(
    'DELETE',
    SUBSCRIPTIONS,
    'Remove what fits all of the filters',
    { 204: null },
    {
      ...own,
      parameters: FILTERS,
    },
  ),
  listPushChannels: route(
    'GET',
    '/push/channels',
    'Channels with subscriptions',
    { 200: { type: 'array', items: { type: 'string' } } },
    { ...byAdmin, parameters: PAGES, isPaged: true },
  ),
  webPushKey: route(
    'GET',
    '/push/publicVapidKey',
    'The key that browsers subscribe with',
    { 200: 'text' },
    {
      proof: 'device',
    },
  ),
  publishPush: route(
    'POST',
    '/push/publish',
    'Push to devices, clients or addresses',
    { 201: NOTHING },
    {
      ...byAdmin,
      parameters: ['pushKey'],
      body: PUSH,
    },
  ),
} as const;
