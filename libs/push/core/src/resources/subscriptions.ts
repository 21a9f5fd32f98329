import { ServiceError } from '@carillon/errors';
import type { JsonObject } from '@carillon/push-providers';
import { CLIENT_SCOPE, type StoredSubscription } from '@carillon/push-store';
import { integerOf, invalid, neededText, textOf, wholeObject } from '../fields.js';
import { sha256 } from '../hash.js';
import type { PushParts } from '../parts.js';
import type { Caller, Devices } from './devices.js';
import { subscriptionShape } from './device-shape.js';
import type { RecipientRules } from './recipient.js';

export class Subscriptions {
  constructor(
    private readonly parts: PushParts,
    private readonly devices: Devices,
  ) {}

  /** Stored fields of the device override those of the body. */
  async put(appId: string, value: unknown, caller: Caller, rules: RecipientRules): Promise<JsonObject> {
    const body = wholeObject(value);
    const channel = rules.checkChannel(neededText(body, 'channel', 1000));
    const deviceId = idOf(body, 'deviceId', 'device_id');
    const clientId = idOf(body, 'clientId', 'client_id');
    const credentialVersion = integerOf(body, 'credentialVersion', 0) ?? null;
    const updatedMs = this.parts.now();
    if (deviceId === undefined) {
      if (clientId === undefined) throw invalid('deviceId or clientId is required');
      if (caller.kind === 'device')
        throw new ServiceError('forbidden', { text: 'a device subscribes only itself' });
      const row: StoredSubscription = {
        appId,
        channel,
        deviceId: clientScope(clientId),
        clientId,
        provider: null,
        tokenHash: null,
        credentialVersion,
        updatedMs,
      };
      await this.parts.store.putSubscription(row);
      return subscriptionShape(row);
    }
    const device = await this.devices.find(appId, deviceId, caller);
    if (device === null) throw new ServiceError('not_found', { text: 'the device is not known' });
    const { provider, tokenHash } = device;
    const row = {
      appId,
      channel,
      deviceId,
      clientId: device.clientId,
      provider,
      tokenHash,
      credentialVersion,
      updatedMs,
    };
    await this.parts.store.putSubscription(row);
    return subscriptionShape(row);
  }

  async remove(
    appId: string,
    filter: { readonly channel?: string; readonly deviceId?: string },
    caller: Caller,
  ): Promise<number> {
    if (filter.channel === undefined && filter.deviceId === undefined)
      throw invalid('channel or deviceId is required');
    if (caller.kind === 'device') {
      if (filter.deviceId === undefined) throw invalid('deviceId is required');
      await this.devices.find(appId, filter.deviceId, caller);
    }
    return this.parts.store.removeSubscriptions(appId, filter);
  }
}

/** Scope of a subscription for all devices of a client. */
export const clientScope = (clientId: string): string => `${CLIENT_SCOPE}${sha256(clientId)}`;

const idOf = (body: JsonObject, name: string, alias: string): string | undefined =>
  textOf({ [name]: body[name] ?? body[alias] }, name, { maxBytes: 255, notBlank: true });
