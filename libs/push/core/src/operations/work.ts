import { ServiceError } from '@carillon/errors';
import { type JsonObject, providerNamed, CLOUDS } from '@carillon/push-providers';
import type { StoredDevice } from '@carillon/push-store';
import { statusShape } from '../admission/shapes.js';
import { invalid } from '../fields.js';
import { credentialItem, credentialShape, putCredential } from '../resources/credentials.js';
import { deviceShape, subscriptionShape } from '../resources/device-shape.js';
import { readTemplate, templateShape } from '../resources/templates.js';
import type { PushRouteName } from '../routes.js';
import { deadLetterShape, type PushService } from '../service.js';
import type { PushAsk } from './ask.js';
import { listed, pageOf, textAt } from './pages.js';

/** Result of an operation. */
export interface PushDone {
  /** Absent: done without a result. */
  readonly value?: object;
  /** It was asked to wait for the devices, which no publish does. */
  readonly isForcedAsync?: true;
}

type Work = (ask: PushAsk) => Promise<PushDone>;

const NOTHING: PushDone = {};
const notFound = (text: string): ServiceError => new ServiceError('not_found', { text });

/** Implementation of each operation. Lists request one row more than a page, to know whether more exist. */
export const pushWork = (push: PushService): Readonly<Record<PushRouteName, Work>> => ({
  ...credentialWork(push),
  ...templateWork(push),
  ...deviceWork(push),
  ...subscriptionWork(push),
  ...publishWork(push),
  ...deadLetterWork(push),
});

const credentialWork = ({ parts }: PushService) =>
  ({
    async putPushCredential(ask) {
      const provider = CLOUDS.find((one) => one === ask.segment('provider'));
      if (provider === undefined) throw new ServiceError('not_found');
      const row = await putCredential(parts, ask.appId, provider, ask.body());
      parts.log.info('audit', {
        action: 'credentialWrite',
        app_id: ask.appId,
        provider,
        credential_id: row.credentialId,
      });
      return { value: credentialShape(row) };
    },
    async listPushCredentials(ask) {
      const { limit, after } = pageOf(ask, 'credential', 1);
      const rows = await parts.store.credentials(ask.appId, textAt(after), limit + 1);
      return listed(ask, rows, limit, {
        kind: 'credential',
        shape: credentialItem,
        positionOf: ({ credentialId }) => [credentialId],
      });
    },
  }) satisfies Partial<Record<PushRouteName, Work>>;

const templateWork = ({ parts: { store, now } }: PushService) =>
  ({
    async putPushTemplate(ask) {
      const template = readTemplate(ask.appId, ask.body(), now());
      await store.putTemplate(template);
      return { value: templateShape(template) };
    },
    async listPushTemplates(ask) {
      const { limit, after } = pageOf(ask, 'template', 1);
      const rows = await store.templates(ask.appId, textAt(after), limit + 1);
      return listed(ask, rows, limit, {
        kind: 'template',
        shape: templateShape,
        positionOf: ({ templateId }) => [templateId],
      });
    },
    async findPushTemplate(ask) {
      const template = await store.template(ask.appId, ask.segment('templateId'));
      if (template === null) throw notFound('the template does not exist');
      return { value: templateShape(template) };
    },
    async removePushTemplate(ask) {
      await store.removeTemplate(ask.appId, ask.segment('templateId'));
      return NOTHING;
    },
  }) satisfies Partial<Record<PushRouteName, Work>>;

const deviceWork = ({ parts: { store, log }, devices }: PushService) => {
  const shapeFor = (ask: PushAsk): ((device: StoredDevice) => JsonObject) =>
    ask.isInFull ? (device) => devices.inFull(device) : deviceShape;
  return {
    async registerPushDevice(ask) {
      const { appId, caller, rules } = ask;
      return { value: await devices.register(appId, ask.body(), caller, rules, shapeFor(ask)) };
    },
    async listPushDevices(ask) {
      const { limit, after } = pageOf(ask, 'device', 1);
      const filter = ask.filter(['clientId', 'deviceId']);
      const rows = await store.devices(ask.appId, filter, textAt(after), limit + 1);
      return listed(ask, rows, limit, {
        kind: 'device',
        shape: shapeFor(ask),
        positionOf: ({ deviceId }) => [deviceId],
      });
    },
    async removePushDevices(ask) {
      const [clientId, deviceId] = [ask.parameter('clientId'), ask.parameter('deviceId')];
      const isBlank = [clientId, deviceId].some((one) => one !== undefined && one.trim() === '');
      if (isBlank || (clientId === undefined && deviceId === undefined))
        throw invalid('removeWhere requires clientId');
      const deleted = await store.removeDevices(ask.appId, ask.filter(['clientId', 'deviceId']));
      log.info('audit', { action: 'removeWhere', app_id: ask.appId, deleted });
      return { value: { deleted, consistency: 'eventual' } };
    },
    async findPushDevice(ask) {
      const device = await devices.find(ask.appId, ask.segment('deviceId'), ask.caller);
      if (device === null) throw notFound('the device is not known');
      return { value: shapeFor(ask)(device) };
    },
    async removePushDevice(ask) {
      const deviceId = ask.segment('deviceId');
      await devices.find(ask.appId, deviceId, ask.caller);
      await store.removeDevices(ask.appId, { deviceId });
      return NOTHING;
    },
  } satisfies Partial<Record<PushRouteName, Work>>;
};

const subscriptionWork = ({ parts: { store }, subscriptions }: PushService) =>
  ({
    async putPushSubscription(ask) {
      return { value: await subscriptions.put(ask.appId, ask.body(), ask.caller, ask.rules) };
    },
    async listPushSubscriptions(ask) {
      const { limit, after } = pageOf(ask, 'channelSubscription', 2);
      const filter = ask.filter(['channel', 'deviceId']);
      const position = after === null ? null : ([String(after[0]), String(after[1])] as const);
      const rows = await store.subscriptions(ask.appId, filter, position, limit + 1);
      return listed(ask, rows, limit, {
        kind: 'channelSubscription',
        shape: subscriptionShape,
        positionOf: ({ channel, deviceId }) => [channel, deviceId],
      });
    },
    async removePushSubscriptions(ask) {
      const filter = ask.filter(['channel', 'deviceId']);
      return { value: { deleted: await subscriptions.remove(ask.appId, filter, ask.caller) } };
    },
    async listPushChannels(ask) {
      const { limit, after } = pageOf(ask, 'channelSubscription', 1);
      const rows = await store.channels(ask.appId, textAt(after), limit + 1);
      return listed(ask, rows, limit, {
        kind: 'channelSubscription',
        shape: (channel) => channel,
        positionOf: (channel) => [channel],
      });
    },
  }) satisfies Partial<Record<PushRouteName, Work>>;

const publishWork = (push: PushService) =>
  ({
    async publishPush(ask) {
      const body = ask.body();
      const value = await push.publish(ask.appId, body, optionsOf(push, ask), ask.rules);
      const isSync = ask.parameter('mode') === 'sync' || (body as { sync?: unknown }).sync === true;
      return isSync ? { value, isForcedAsync: true } : { value };
    },
    async publishPushBatch(ask) {
      const body = ask.body();
      return { value: await push.publishBatch(ask.appId, body, optionsOf(push, ask), ask.rules) };
    },
    async pushStatus(ask) {
      return { value: statusShape(await push.status(ask.appId, ask.segment('publishId'))) };
    },
    async cancelPush(ask) {
      await push.cancel(ask.appId, ask.segment('jobId'));
      return NOTHING;
    },
    async reportPushDelivery(ask) {
      return { value: await push.deliveryStatus(ask.appId, ask.body()) };
    },
  }) satisfies Partial<Record<PushRouteName, Work>>;

const deadLetterWork = (push: PushService) =>
  ({
    async listPushDeadLetters(ask) {
      const { limit, after } = pageOf(ask, 'deadLetter', 2);
      const position = after === null ? null : ([Number(after[0]), String(after[1])] as const);
      const rows = await push.parts.store.deadLetters(ask.appId, deadLetterFilter(ask), position, limit + 1);
      return listed(ask, rows, limit, {
        kind: 'deadLetter',
        shape: deadLetterShape,
        positionOf: ({ occurredMs, deadLetterId }) => [occurredMs, deadLetterId],
      });
    },
    async replayPushDeadLetter(ask) {
      return { value: await push.replay(ask.appId, ask.segment('deadLetterId')) };
    },
  }) satisfies Partial<Record<PushRouteName, Work>>;

function optionsOf({ parts: { log } }: PushService, ask: PushAsk) {
  const { quotaOverride, requestKey: idempotencyKey } = ask;
  if (quotaOverride) log.info('audit', { action: 'quotaOverride', app_id: ask.appId });
  return { quotaOverride, idempotencyKey };
}

function deadLetterFilter(ask: PushAsk) {
  const named = ask.parameter('provider');
  const provider = named === undefined ? undefined : providerNamed(named);
  if (provider === null) throw invalid(`provider is not known; it must be one of ${CLOUDS.join(', ')}`);
  const [sinceMs, untilMs] = [timeOf(ask, 'sinceMs'), timeOf(ask, 'untilMs')];
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs > untilMs) {
    throw invalid('sinceMs must not be after untilMs');
  }
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(untilMs === undefined ? {} : { untilMs }),
  };
}

function timeOf(ask: PushAsk, name: string): number | undefined {
  const value = ask.parameter(name);
  if (value === undefined) return undefined;
  if (!/^\d{1,16}$/.test(value)) throw invalid(`${name} must be a time in milliseconds`);
  return Number(value);
}
