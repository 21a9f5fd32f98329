import {
  ACCEPTED_ANSWER,
  BATCH_ANSWER,
  CHANNELS_ANSWER,
  CREDENTIALS_ANSWER,
  CREDENTIAL_ANSWER,
  DEAD_LETTERS_ANSWER,
  DELIVERY_ANSWER,
  DEVICES_ANSWER,
  DEVICE_ANSWER,
  REGISTERED_ANSWER,
  REMOVED_ANSWER,
  REPLAYED_ANSWER,
  STATUS_ANSWER,
  SUBSCRIPTIONS_ANSWER,
  SUBSCRIPTION_ANSWER,
  TEMPLATES_ANSWER,
  TEMPLATE_ANSWER,
} from './operations/answers.js';
import {
  CREDENTIAL,
  DELIVERY,
  DEVICE,
  PUBLISH,
  PUBLISHES,
  SUBSCRIPTION,
  TEMPLATE,
} from './operations/bodies.js';

/** One operation of push, with the route it is mounted at; documents and tools are made of it. */
export interface PushRoute {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Below `/apps/:appId/push`. */
  readonly path: string;
  readonly summary: string;
  readonly status: 200 | 201 | 202 | 204;
  /** Whether devices may call it with their token. */
  readonly forDevices: boolean;
  /** Parameters of the query; lists have `limit` and `cursor` besides. */
  readonly query: readonly string[];
  readonly isList: boolean;
  /** Whether a request may be repeated under a key. */
  readonly takesRequestKey: boolean;
  /** Absent: it takes none. */
  readonly body?: Readonly<Record<string, unknown>>;
}

/** Answer schema of each route; routes that are missing have no content. */
export const PUSH_ANSWERS: Readonly<Partial<Record<PushRouteName, Readonly<Record<string, unknown>>>>> = {
  putPushCredential: CREDENTIAL_ANSWER,
  listPushCredentials: CREDENTIALS_ANSWER,
  putPushTemplate: TEMPLATE_ANSWER,
  listPushTemplates: TEMPLATES_ANSWER,
  findPushTemplate: TEMPLATE_ANSWER,
  registerPushDevice: REGISTERED_ANSWER,
  listPushDevices: DEVICES_ANSWER,
  removePushDevices: REMOVED_ANSWER,
  findPushDevice: DEVICE_ANSWER,
  putPushSubscription: SUBSCRIPTION_ANSWER,
  listPushSubscriptions: SUBSCRIPTIONS_ANSWER,
  removePushSubscriptions: REMOVED_ANSWER,
  listPushChannels: CHANNELS_ANSWER,
  publishPush: ACCEPTED_ANSWER,
  publishPushBatch: BATCH_ANSWER,
  pushStatus: STATUS_ANSWER,
  listPushDeadLetters: DEAD_LETTERS_ANSWER,
  replayPushDeadLetter: REPLAYED_ANSWER,
  reportPushDelivery: DELIVERY_ANSWER,
};

type More = Partial<Pick<PushRoute, 'forDevices' | 'query' | 'isList' | 'takesRequestKey' | 'body'>>;

const route = (
  method: PushRoute['method'],
  path: string,
  status: PushRoute['status'],
  summary: string,
  more: More = {},
): PushRoute => ({
  method,
  path,
  status,
  summary,
  forDevices: false,
  query: [],
  isList: false,
  takesRequestKey: false,
  ...more,
});

const LIST = { isList: true } as const;
const DEVICES = { forDevices: true } as const;

/** The routes, by the names that clients made from the document give them. */
export const PUSH_ROUTES = {
  putPushCredential: route(
    'POST',
    '/credentials/:provider',
    201,
    'Create or replace a credential of a provider',
    { body: CREDENTIAL },
  ),
  listPushCredentials: route('GET', '/credentials', 200, 'Credentials without their secrets', LIST),
  putPushTemplate: route('POST', '/templates', 201, 'Create or replace a template', { body: TEMPLATE }),
  listPushTemplates: route('GET', '/templates', 200, 'Templates', LIST),
  findPushTemplate: route('GET', '/templates/:templateId', 200, 'One template'),
  removePushTemplate: route('DELETE', '/templates/:templateId', 204, 'Remove a template'),
  registerPushDevice: route('POST', '/deviceRegistrations', 201, 'Register or update a device', {
    ...DEVICES,
    body: DEVICE,
  }),
  listPushDevices: route('GET', '/deviceRegistrations', 200, 'Devices', {
    ...LIST,
    query: ['clientId', 'deviceId'],
  }),
  removePushDevices: route('DELETE', '/deviceRegistrations', 200, 'Remove the devices of a client', {
    query: ['clientId', 'deviceId'],
  }),
  findPushDevice: route('GET', '/deviceRegistrations/:deviceId', 200, 'One device', DEVICES),
  removePushDevice: route('DELETE', '/deviceRegistrations/:deviceId', 204, 'Remove a device', DEVICES),
  putPushSubscription: route('POST', '/channelSubscriptions', 201, 'Subscribe a device or a client', {
    ...DEVICES,
    body: SUBSCRIPTION,
  }),
  listPushSubscriptions: route('GET', '/channelSubscriptions', 200, 'Subscriptions of channels', {
    ...LIST,
    query: ['channel', 'deviceId'],
  }),
  removePushSubscriptions: route('DELETE', '/channelSubscriptions', 200, 'Remove subscriptions', {
    ...DEVICES,
    query: ['channel', 'deviceId'],
  }),
  listPushChannels: route('GET', '/channelSubscriptions/channels', 200, 'Channels with subscriptions', LIST),
  publishPush: route('POST', '/publish', 202, 'Accept one publish', {
    body: PUBLISH,
    takesRequestKey: true,
    query: ['mode'],
  }),
  publishPushBatch: route('POST', '/batch/publish', 202, 'Accept several publishes', {
    body: PUBLISHES,
    takesRequestKey: true,
  }),
  pushStatus: route('GET', '/publish/:publishId/status', 200, 'What has become of a publish'),
  listPushDeadLetters: route('GET', '/deadLetters', 200, 'What could not be delivered', {
    ...LIST,
    query: ['provider', 'sinceMs', 'untilMs'],
  }),
  replayPushDeadLetter: route(
    'POST',
    '/deadLetters/:deadLetterId/replay',
    202,
    'Deliver a dead letter after all',
  ),
  cancelPush: route('DELETE', '/scheduled/:jobId', 204, 'Cancel a publish that waits for its time'),
  reportPushDelivery: route('POST', '/deliveryStatus', 202, 'Tell what became of a delivery', {
    body: DELIVERY,
  }),
} as const satisfies Record<string, PushRoute>;

export type PushRouteName = keyof typeof PUSH_ROUTES;
