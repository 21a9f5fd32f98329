import { CompatError, isObject, type JsonObject, readOwnChannelName } from '@carillon/compat-core';
import { clientScope } from '@carillon/push';
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
    const asked: Readonly<Record<string, string | undefined>> = await filtersOf(ask, caller);
    await caller.admin('removePushSubscriptions', { option: (name) => asked[name] });
    return NO_CONTENT;
  };

  readonly channels = async (ask: Ask): Promise<Reply> => {
    const caller = await this.entry.caller(ask);
    caller.requireAdmin();
    return page(ask, caller, { name: 'listPushChannels', filters: [], shape: ({ item }) => item });
  };
}

/** What is asked for, if it is the caller's: an operator's anything, a device's and a client's its own. */
async function filtersOf(
  ask: Ask,
  caller: PushCaller,
): Promise<{ readonly channel: string | undefined; readonly deviceId: string | undefined }> {
  const { channel, clientId } = ask.query;
  const deviceId = ask.query['deviceId'] || undefined;
  if (deviceId && clientId) throw new CompatError(40_000, 'deviceId and clientId exclude each other');
  const scope = deviceId ?? (clientId ? clientScope(clientId) : undefined);
  const asked = { channel: channel || undefined, deviceId: scope };
  if (caller.isAdmin || caller.isClient(clientId, channel || null)) return asked;
  if (caller.device === null || clientId) throw notGranted();
  const own = caller.device.deviceId;
  if (deviceId !== undefined && deviceId !== own)
    throw new CompatError(40_140, 'the token is that of another device');
  await caller.proveDevice();
  return { ...asked, deviceId: own };
}

/** A subscription as clients are told of it: that of a client names no device. */
function shown({ channel, deviceId, clientId }: JsonObject): JsonObject {
  return deviceId === undefined ? { channel, clientId } : { channel, deviceId };
}
