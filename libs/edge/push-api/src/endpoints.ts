import { ServiceError } from '@carillon/errors';
import {
  credentialItem,
  credentialShape,
  deadLetterShape,
  deviceShape,
  invalid,
  type PushRouteName,
  type PushService,
  putCredential,
  readTemplate,
  statusShape,
  subscriptionShape,
  templateShape,
} from '@carillon/push';
import { providerNamed, PROVIDERS } from '@carillon/push-providers';
import { type Call, listed, pageOf, type Reply } from './call.js';

type Endpoint = (call: Call) => Promise<Reply>;

const NOTHING: Reply = { status: 204 };
const created = (body: unknown): Reply => ({ status: 201, body });
const found = (body: unknown): Reply => ({ status: 200, body });

const text = (position: readonly (string | number)[] | null, index = 0): string | null =>
  position === null ? null : String(position[index]);

/** What answers each route. The store is asked for one more than a page has, which tells whether there is one. */
export function pushEndpoints(push: PushService): Readonly<Record<PushRouteName, Endpoint>> {
  const { parts, devices, subscriptions } = push;
  const { store, now, log } = parts;
  return {
    async putPushCredential(call) {
      const provider = PROVIDERS.find((one) => one === call.segment('provider'));
      if (provider === undefined) throw new ServiceError('not_found');
      const row = await putCredential(parts, call.appId, provider, call.body);
      log.info('audit', {
        action: 'credentialWrite',
        app_id: call.appId,
        provider,
        credential_id: row.credentialId,
      });
      return created(credentialShape(row));
    },
    async listPushCredentials(call) {
      const { limit, after } = pageOf(call, 'credential', 1);
      const rows = await store.credentials(call.appId, text(after), limit + 1);
      return listed(call, 'credential', rows, limit, credentialItem, ({ credentialId }) => [credentialId]);
    },
    async putPushTemplate(call) {
      const template = readTemplate(call.appId, call.body, now());
      await store.putTemplate(template);
      return created(templateShape(template));
    },
    async listPushTemplates(call) {
      const { limit, after } = pageOf(call, 'template', 1);
      const rows = await store.templates(call.appId, text(after), limit + 1);
      return listed(call, 'template', rows, limit, templateShape, ({ templateId }) => [templateId]);
    },
    async findPushTemplate(call) {
      const template = await store.template(call.appId, call.segment('templateId'));
      if (template === null) throw new ServiceError('not_found', { text: 'the template does not exist' });
      return found(templateShape(template));
    },
    async removePushTemplate(call) {
      await store.removeTemplate(call.appId, call.segment('templateId'));
      return NOTHING;
    },
    async registerPushDevice(call) {
      return created(await devices.register(call.appId, call.body, call.caller, call.rules));
    },
    async listPushDevices(call) {
      const { limit, after } = pageOf(call, 'device', 1);
      const filter = filterOf(call, ['clientId', 'deviceId']);
      const rows = await store.devices(call.appId, filter, text(after), limit + 1);
      return listed(call, 'device', rows, limit, deviceShape, ({ deviceId }) => [deviceId]);
    },
    async removePushDevices(call) {
      const [clientId, deviceId] = [call.parameter('clientId'), call.parameter('deviceId')];
      const isBlank = [clientId, deviceId].some((one) => one !== undefined && one.trim() === '');
      if (isBlank || (clientId === undefined && deviceId === undefined))
        throw invalid('removeWhere requires clientId');
      const deleted = await store.removeDevices(call.appId, filterOf(call, ['clientId', 'deviceId']));
      log.info('audit', { action: 'removeWhere', app_id: call.appId, deleted });
      return found({ deleted, consistency: 'eventual' });
    },
    async findPushDevice(call) {
      const device = await devices.find(call.appId, call.segment('deviceId'), call.caller);
      if (device === null) throw new ServiceError('not_found', { text: 'the device is not known' });
      return found(deviceShape(device));
    },
    async removePushDevice(call) {
      const deviceId = call.segment('deviceId');
      await devices.find(call.appId, deviceId, call.caller);
      await store.removeDevices(call.appId, { deviceId });
      return NOTHING;
    },
    async putPushSubscription(call) {
      return created(await subscriptions.put(call.appId, call.body, call.caller, call.rules));
    },
    async listPushSubscriptions(call) {
      const { limit, after } = pageOf(call, 'channelSubscription', 2);
      const filter = filterOf(call, ['channel', 'deviceId']);
      const position = after === null ? null : ([String(after[0]), String(after[1])] as const);
      const rows = await store.subscriptions(call.appId, filter, position, limit + 1);
      return listed(call, 'channelSubscription', rows, limit, subscriptionShape, (row) => [
        row.channel,
        row.deviceId,
      ]);
    },
    async removePushSubscriptions(call) {
      const deleted = await subscriptions.remove(
        call.appId,
        filterOf(call, ['channel', 'deviceId']),
        call.caller,
      );
      return found({ deleted });
    },
    async listPushChannels(call) {
      const { limit, after } = pageOf(call, 'channelSubscription', 1);
      const rows = await store.channels(call.appId, text(after), limit + 1);
      return listed(
        call,
        'channelSubscription',
        rows,
        limit,
        (channel) => channel,
        (channel) => [channel],
      );
    },
    async publishPush(call) {
      const { body } = call;
      const answer = await push.publish(call.appId, body, optionsOf(call), call.rules);
      const isSync = call.parameter('mode') === 'sync' || (body as { sync?: unknown }).sync === true;
      const headers: Record<string, string> = isSync
        ? { 'X-Service-Forced-Async': 'publish-api-is-async' }
        : {};
      return { status: 202, body: answer, headers };
    },
    async publishPushBatch(call) {
      return {
        status: 202,
        body: await push.publishBatch(call.appId, call.body, optionsOf(call), call.rules),
      };
    },
    async pushStatus(call) {
      return found(statusShape(await push.status(call.appId, call.segment('publishId'))));
    },
    async listPushDeadLetters(call) {
      const { limit, after } = pageOf(call, 'deadLetter', 2);
      const filter = deadLetterFilter(call);
      const position = after === null ? null : ([Number(after[0]), String(after[1])] as const);
      const rows = await store.deadLetters(call.appId, filter, position, limit + 1);
      return listed(call, 'deadLetter', rows, limit, deadLetterShape, (row) => [
        row.occurredMs,
        row.deadLetterId,
      ]);
    },
    async replayPushDeadLetter(call) {
      return { status: 202, body: await push.replay(call.appId, call.segment('deadLetterId')) };
    },
    async cancelPush(call) {
      await push.cancel(call.appId, call.segment('jobId'));
      return NOTHING;
    },
    async reportPushDelivery(call) {
      return { status: 202, body: await push.deliveryStatus(call.appId, call.body) };
    },
  };

  function optionsOf(call: Call) {
    const { quotaOverride } = call;
    if (quotaOverride) log.info('audit', { action: 'quotaOverride', app_id: call.appId });
    const key = call.header('x-idempotency-key');
    if (key !== undefined && (key === '' || Buffer.byteLength(key) > call.rules.maxKeyBytes)) {
      throw invalid('x-idempotency-key is empty or too long');
    }
    return { quotaOverride, idempotencyKey: key ?? null };
  }
}

function filterOf<const Name extends string>(
  call: Call,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const given = names.map((name) => [name, call.filter(name)] as const);
  return Object.fromEntries(given.filter(([, value]) => value !== undefined)) as Partial<
    Record<Name, string>
  >;
}

function deadLetterFilter(call: Call) {
  const named = call.parameter('provider');
  const provider = named === undefined ? undefined : providerNamed(named);
  if (provider === null) throw invalid('provider is not known');
  const [sinceMs, untilMs] = [timeOf(call, 'sinceMs'), timeOf(call, 'untilMs')];
  if (sinceMs !== undefined && untilMs !== undefined && sinceMs > untilMs) {
    throw invalid('sinceMs must not be after untilMs');
  }
  return {
    ...(provider === undefined ? {} : { provider }),
    ...(sinceMs === undefined ? {} : { sinceMs }),
    ...(untilMs === undefined ? {} : { untilMs }),
  };
}

function timeOf(call: Call, name: string): number | undefined {
  const value = call.parameter(name);
  if (value === undefined) return undefined;
  if (!/^\d{1,16}$/.test(value)) throw invalid(`${name} must be a time in milliseconds`);
  return Number(value);
}
