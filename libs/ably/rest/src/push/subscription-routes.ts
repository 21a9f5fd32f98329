import { CompatError, isObject, type JsonObject, readOwnChannelName } from '@carillon/ably-core';
import { clientScope } from '@carillon/push-core';
import type { Ask, Reply } from '../exchange.js';
import { notGranted, type PushCaller, type PushEntry } from './caller.js';
import { NO_CONTENT, page } from './listing.js';

const FILTERS = ['channel', 'deviceId', 'clientId'] as const;

/** Subscribes devices and clients to channels. */
export class SubscriptionRoutes {
  constructor(private readonly entry: PushEntry) {}

  readonly put = async (ask: Ask): Promise<Reply> => {
    const caller = await this.entry.caller(ask);
    const body = ask.body();
    if (!isObject(body)) throw new CompatError(40_000, 'a subscription must be an object');
    const { deviceId, clientId } = body;
    const channel = readOwnChannelName(body['channel']).base;
    const as =
      typeof deviceId === 'string' && !caller.isAdmin
        ? caller.asDevice(deviceId)
        : ({ kind: 'admin', rotates: false } as const);
    if (as.kind === 'admin' && !caller.isAdmin && !caller.isClient(clientId, channel)) throw notGranted();
    const native = {
      channel,
      ...(deviceId === undefined || deviceId === null ? { clientId } : { deviceId }),
    };
    const { value } = await caller.perform('putPushSubscription', as, { body: () => native });
    return { status: 201, body: shown(isObject(value) ? value : {}) };
  };

  readonly list = async (ask: Ask): Promise<Reply> => {
    const caller = await this.entry.caller(ask);
    const asked = await filtersOf(ask, caller);
    return page(ask, caller, { name: 'listPushSubscriptions', filters: FILTERS, asked, shape: shown });
  };

  readonly remove = async (ask: Ask): Promise<Reply> => {
    const caller = await this.entry.caller(ask);
    if (!FILTERS.some((name) => ask.query[name]))
      throw new CompatError(40_000, 'channel, deviceId or clientId is needed');
    const asked: Filters | null = await filtersOf(ask, caller);
    if (asked !== null) await caller.admin('removePushSubscriptions', { option: (name) => asked[name] });
    return NO_CONTENT;
  };

  readonly channels = async (ask: Ask): Promise<Reply> => {
    const caller = await this.entry.caller(ask);
    caller.requireAdmin();
    return page(ask, caller, { name: 'listPushChannels', filters: [], shape: ({ item }) => item });
  };
}

/** Filters of push subscriptions. */
type Filters = Readonly<Record<string, string | undefined>>;

/**
 * Returns the filters restricted to the caller: operators see all, devices and clients their own. Null: nothing can
 * match, because the device belongs to another client.
 */
async function filtersOf(ask: Ask, caller: PushCaller): Promise<Filters | null> {
  const [channel, deviceId, clientId] = FILTERS.map((name) => ask.query[name] || undefined);
  if (deviceId === undefined && clientId !== undefined) {
    if (!caller.isAdmin && !caller.isClient(clientId, channel ?? null)) throw notGranted();
    return { channel, deviceId: clientScope(clientId) };
  }
  if (caller.isAdmin && deviceId === undefined) return { channel };
  const device = deviceId ?? caller.device?.deviceId;
  if (device === undefined) throw notGranted();
  const as = caller.asDevice(device);
  if (as.kind === 'device') await caller.proveDevice();
  const isOfClient = clientId === undefined || (await isDeviceOf(caller, device, clientId));
  return isOfClient ? { channel, deviceId: device } : null;
}

async function isDeviceOf(caller: PushCaller, deviceId: string, clientId: string): Promise<boolean> {
  const known = await caller.admin('listPushDevices', {
    option: (name) => ({ deviceId, clientId, limit: '1' })[name],
  });
  const { items } = isObject(known.value) ? known.value : {};
  return Array.isArray(items) && items.length > 0;
}

/** Converts a subscription; one of a client has no device id. */
function shown({ channel, deviceId, clientId }: JsonObject): JsonObject {
  return deviceId === undefined ? { channel, clientId } : { channel, deviceId };
}
