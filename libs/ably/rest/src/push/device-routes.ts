import { CompatError, isObject, type JsonObject } from '@carillon/ably-core';
import type { PushDone, PushInput } from '@carillon/push-core';
import type { Ask, Reply } from '../exchange.js';
import { notGranted, type PushCaller, type PushEntry } from './caller.js';
import { fromNativeDevice, identityOf, toNativeDevice, unchanged } from './devices.js';
import { NO_CONTENT, page } from './listing.js';

const idOf = ({ request }: Ask): string => request.params['deviceId'] ?? '';

/** Registers, lists and removes devices of clients. */
export class DeviceRoutes {
  constructor(
    private readonly entry: PushEntry,
    private readonly now: () => number,
  ) {}

  readonly register = async (ask: Ask): Promise<Reply> => {
    const caller = await this.entry.caller(ask);
    const body = toNativeDevice(ask.body(), null);
    const { clientId } = body;
    if (!caller.isAdmin && caller.clientId !== null && clientId !== undefined && clientId !== caller.clientId)
      throw new CompatError(40_012, 'clientId is not that of the device');
    const device = await this.#put(caller, registrant(caller, body), body);
    return { status: 201, body: device };
  };

  readonly replace = async (ask: Ask): Promise<Reply> => {
    const caller = await this.entry.caller(ask);
    const id = idOf(ask);
    return {
      status: 200,
      body: await this.#put(caller, caller.asDevice(id), toNativeDevice(ask.body(), id)),
    };
  };

  readonly change = async (ask: Ask): Promise<Reply> => {
    const caller = await this.entry.caller(ask);
    const id = idOf(ask);
    const as = caller.asDevice(id);
    const before = unchanged(
      valueOf(await caller.perform('findPushDevice', as, { segments: { deviceId: id } })),
    );
    return { status: 200, body: await this.#put(caller, as, toNativeDevice(ask.body(), id, before)) };
  };

  readonly find = async (ask: Ask): Promise<Reply> => {
    const caller = await this.entry.caller(ask);
    const id = idOf(ask);
    const found = await caller.perform('findPushDevice', caller.asDevice(id), { segments: { deviceId: id } });
    return { status: 200, body: fromNativeDevice(valueOf(found)) };
  };

  readonly list = async (ask: Ask): Promise<Reply> => {
    const caller = await this.entry.caller(ask);
    caller.requireAdmin();
    return page(ask, caller, {
      name: 'listPushDevices',
      filters: ['deviceId', 'clientId'],
      shape: fromNativeDevice,
    });
  };

  readonly remove = async (ask: Ask): Promise<Reply> => {
    const caller = await this.entry.caller(ask);
    return this.#removeOne(caller, idOf(ask));
  };

  readonly removeWhere = async (ask: Ask): Promise<Reply> => {
    const caller = await this.entry.caller(ask);
    const { deviceId, clientId } = ask.query;
    if (!deviceId && !clientId) throw new CompatError(40_000, 'deviceId or clientId is needed');
    if (deviceId && !clientId) return this.#removeOne(caller, deviceId);
    caller.requireAdmin();
    const option = (name: string): string | undefined => ask.query[name] || undefined;
    await caller.admin('removePushDevices', { option });
    return NO_CONTENT;
  };

  async #removeOne(caller: PushCaller, deviceId: string): Promise<Reply> {
    await caller.perform('removePushDevice', caller.asDevice(deviceId), { segments: { deviceId } });
    return NO_CONTENT;
  }

  async #put(caller: PushCaller, as: PushInput['caller'], body: JsonObject): Promise<JsonObject> {
    const done = valueOf(await caller.perform('registerPushDevice', as, { body: () => body }));
    const { device, deviceIdentityToken: token } = done;
    const shown = fromNativeDevice(isObject(device) ? device : {});
    if (typeof token !== 'string') return shown;
    const about = {
      appId: caller.app.id,
      deviceId: String(shown['id']),
      keyName: caller.principal?.keyName ?? '',
    };
    return { ...shown, deviceIdentityToken: identityOf(about, token, this.now()) };
  }
}

/** Returns the principal of a registration: an operator, the device itself, or a client that registers a new device. */
function registrant(caller: PushCaller, body: JsonObject): PushInput['caller'] {
  if (caller.isAdmin) return { kind: 'admin', rotates: false };
  if (caller.device !== null) return caller.asDevice(String(body['id']));
  if (!caller.maySubscribe) throw notGranted();
  return { kind: 'device', token: null, mayBegin: true };
}

const valueOf = ({ value }: PushDone): JsonObject => (isObject(value) ? value : {});
