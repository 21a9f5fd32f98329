import { ServiceError } from '@carillon/errors';
import { jsonBytes, type JsonObject, providerOf, tokenHash } from '@carillon/push-providers';
import { CLIENT_SCOPE, type DeviceState, type StoredDevice } from '@carillon/push-store';
import { integerOf, invalid, neededText, objectOf, textOf, wholeObject, wordOf } from '../fields.js';
import { canonicalJson } from '../hash.js';
import type { PushParts } from '../parts.js';
import { deviceShape, safeReason } from './device-shape.js';
import type { IdentityTokens } from './identity-token.js';
import { readRecipient, type RecipientRules } from './recipient.js';

const FORM_FACTORS = ['phone', 'tablet', 'desktop', 'tv', 'car', 'watch', 'embedded', 'other'] as const;
const PLATFORMS = ['android', 'ios', 'browser', 'windows', 'macos', 'watchos', 'tvos', 'other'] as const;
const STATES = ['ACTIVE', 'FAILING', 'FAILED'] as const;
const METADATA_BYTES = 4096;

/** Caller: an operator's server, or a device with its token (null: none sent). */
export type Caller =
  | { readonly kind: 'admin'; readonly rotates: boolean }
  | {
      readonly kind: 'device';
      readonly token: string | null;
      /** Address of the client, for the limit of failures. Absent or null: unknown. */
      readonly address?: string | null;
      /** Unknown devices may register themselves. Absent: only operators register devices. */
      readonly mayBegin?: true;
    };

/** Device fields of a body; the state is accepted from operators only. */
type Registration = Omit<
  StoredDevice,
  'identityHash' | 'createdMs' | 'state' | 'failureCount' | 'errorReason'
> & {
  readonly state: DeviceState | null;
  readonly failureCount: number;
  readonly errorReason: string | null;
  /** Whether the body contains the last activity; otherwise it is now. */
  readonly saysWhenActive: boolean;
};

export class Devices {
  constructor(
    private readonly parts: PushParts,
    private readonly tokens: IdentityTokens,
  ) {}

  /** Device as stored, with its address and metadata. */
  inFull(device: StoredDevice): JsonObject {
    const { appId, deviceId, metadata } = device;
    const recipient = this.parts.secrets.open(device.recipient, devicePlace(appId, deviceId));
    return {
      ...deviceShape(device),
      ...(metadata === null ? {} : { metadata: JSON.parse(metadata) as unknown }),
      recipient: JSON.parse(recipient) as unknown,
    };
  }

  async register(
    appId: string,
    value: unknown,
    caller: Caller,
    rules: RecipientRules,
    shape: (device: StoredDevice) => JsonObject = deviceShape,
  ): Promise<JsonObject> {
    const { store } = this.parts;
    const wanted = this.#read(appId, wholeObject(value), caller, rules);
    let seen = await store.device(appId, wanted.deviceId);
    const begins = caller.kind === 'device' && caller.mayBegin === true && seen === null;
    if (caller.kind === 'device' && !begins) {
      if (caller.mayBegin === true)
        throw new ServiceError('forbidden', { text: 'the device belongs to somebody else' });
      if (seen === null) throw new ServiceError('forbidden', { text: 'the device is not known' });
      seen = await this.#proved(seen, caller);
    }
    const isNew = begins || (caller.kind === 'admin' && (seen === null || caller.rotates));
    const issued = isNew ? await this.tokens.issue() : null;
    let change: 'inserted' | 'unchanged' | 'updated' = 'inserted';
    let stored: StoredDevice | null = null;
    await store.changeDevice(appId, wanted.deviceId, (existing) => {
      if (begins && existing !== null)
        throw new ServiceError('forbidden', { text: 'the device belongs to somebody else' });
      if (caller.kind === 'device' && !begins) this.#sameOwner(existing, seen, wanted);
      // Another client registered it meanwhile: its token stays valid.
      const identityHash =
        existing !== null && !(caller.kind === 'admin' && caller.rotates)
          ? existing.identityHash
          : (issued?.hash ?? existing?.identityHash ?? '');
      const next = merged(wanted, existing, identityHash, caller);
      const isSame = existing !== null && sameDevice(existing, next, wanted.saysWhenActive);
      change = existing === null ? 'inserted' : isSame ? 'unchanged' : 'updated';
      stored = change === 'unchanged' ? existing : next;
      return change === 'unchanged' ? null : next;
    });
    const device: StoredDevice = stored ?? (await this.#found(appId, wanted.deviceId));
    const gave = issued !== null && device.identityHash === issued.hash;
    return {
      change,
      tokenHash: device.tokenHash,
      ...(gave ? { deviceIdentityToken: issued.token } : {}),
      device: shape(device),
    };
  }

  /** Returns the device if the caller may see it. Null: requested by an operator and unknown. */
  async find(appId: string, deviceId: string, caller: Caller): Promise<StoredDevice | null> {
    const device = await this.parts.store.device(appId, deviceId);
    if (caller.kind === 'admin') return device;
    if (device === null) throw new ServiceError('not_found', { text: 'the device is not known' });
    return this.#proved(device, caller);
  }

  async #found(appId: string, deviceId: string): Promise<StoredDevice> {
    const device = await this.parts.store.device(appId, deviceId);
    if (device === null) throw new ServiceError('not_found', { text: 'the device is not known' });
    return device;
  }

  /** Verifies the token of the device and replaces an outdated record of it. Returns the device as it is stored then. */
  async #proved(
    device: StoredDevice,
    { token, address = null }: Extract<Caller, { kind: 'device' }>,
  ): Promise<StoredDevice> {
    const identityHash = await this.tokens.prove({ token, address }, device);
    if (identityHash === device.identityHash) return device;
    const { appId, deviceId } = device;
    await this.parts.store.changeDevice(appId, deviceId, (existing) =>
      existing?.identityHash === device.identityHash ? { ...existing, identityHash } : null,
    );
    return { ...device, identityHash };
  }

  #sameOwner(existing: StoredDevice | null, seen: StoredDevice | null, wanted: Registration): void {
    if (existing === null) throw new ServiceError('forbidden', { text: 'the device is not known' });
    if (existing.identityHash !== seen?.identityHash) {
      throw new ServiceError('auth_failed', { text: 'the device identity token is missing or wrong' });
    }
    if (wanted.clientId !== null && existing.clientId !== null && wanted.clientId !== existing.clientId) {
      throw new ServiceError('forbidden', { text: 'the device belongs to another client' });
    }
  }

  #read(appId: string, body: JsonObject, caller: Caller, rules: RecipientRules): Registration {
    const deviceId = neededText(body, 'id', 255);
    if (deviceId.startsWith(CLIENT_SCOPE)) throw invalid('id is reserved');
    const push = objectOf(body, 'push');
    if (push === undefined) throw invalid('push is required');
    const recipient = readRecipient(push['recipient'], rules);
    const { now, secrets } = this.parts;
    const policy = objectOf(body, 'pushRatePolicy');
    const isAdmin = caller.kind === 'admin';
    const lastActiveMs = integerOf(body, 'lastActiveAtMs', 0);
    const state =
      isAdmin && push['state'] !== undefined && push['state'] !== null ? wordOf(push, 'state', STATES) : null;
    return {
      appId,
      deviceId,
      clientId: textOf(body, 'clientId', { maxBytes: 255, notBlank: true }) ?? null,
      formFactor: wordOf(body, 'formFactor', FORM_FACTORS),
      platform: wordOf(body, 'platform', PLATFORMS),
      metadata: readMetadata(body['metadata']),
      timezone: neededText(body, 'timezone', 64),
      locale: neededText(body, 'locale', 35),
      lastActiveMs: lastActiveMs ?? now(),
      saysWhenActive: lastActiveMs !== undefined,
      state,
      failureCount: (isAdmin ? integerOf(push, 'failureCount', 0) : undefined) ?? 0,
      errorReason: isAdmin ? safeReason(textOf(push, 'errorReason', { maxBytes: 4096 }) ?? null) : null,
      transport: recipient.transportType,
      provider: providerOf(recipient),
      tokenHash: tokenHash(recipient),
      recipient: secrets.seal(
        JSON.stringify({ ...recipient, ...writtenAs(push['recipient']) }),
        devicePlace(appId, deviceId),
      ),
      rateCapacity: policy === undefined ? null : neededInteger(policy, 'capacity'),
      rateRefill: policy === undefined ? null : neededInteger(policy, 'refillPerSecond'),
      updatedMs: now(),
    };
  }
}

const devicePlace = (appId: string, deviceId: string): readonly string[] => ['push_devices', appId, deviceId];

/** Original form of the address in another protocol, stored for it only. */
function writtenAs(recipient: unknown): JsonObject {
  const form = (recipient as JsonObject)['writtenAs'];
  return typeof form === 'string' && form.length <= 16 ? { writtenAs: form } : {};
}

function neededInteger(policy: JsonObject, name: string): number {
  const value = integerOf(policy, name, 1);
  if (value === undefined) throw invalid(`${name} is required`);
  return value;
}

function readMetadata(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (jsonBytes(value) > METADATA_BYTES) throw invalid(`metadata must have at most ${METADATA_BYTES} bytes`);
  return JSON.stringify(value);
}

/** A registering device becomes active again, unless an operator sets another state. */
function merged(
  wanted: Registration,
  existing: StoredDevice | null,
  identityHash: string,
  caller: Caller,
): StoredDevice {
  const { state, failureCount, errorReason, saysWhenActive: _, ...rest } = wanted;
  // A device without a client id keeps its owner; only an operator may remove it.
  const clientId = wanted.clientId ?? (caller.kind === 'device' ? (existing?.clientId ?? null) : null);
  const health =
    state === null &&
    existing !== null &&
    existing.tokenHash === wanted.tokenHash &&
    existing.state === 'ACTIVE'
      ? { state: existing.state, failureCount: existing.failureCount, errorReason: existing.errorReason }
      : { state: state ?? 'ACTIVE', failureCount, errorReason };
  return { ...rest, ...health, clientId, identityHash, createdMs: existing?.createdMs ?? wanted.updatedMs };
}

/**
 * Whether two devices are equal, ignoring the activity time unless it was given: addresses are compared by hash,
 * since encryption differs each time.
 */
const sameDevice = (one: StoredDevice, other: StoredDevice, whenToo: boolean): boolean =>
  comparable(one, whenToo) === comparable(other, whenToo);

const comparable = (device: StoredDevice, whenToo: boolean): string =>
  canonicalJson({
    ...device,
    metadata: device.metadata === null ? null : (JSON.parse(device.metadata) as unknown),
    recipient: null,
    lastActiveMs: whenToo ? device.lastActiveMs : 0,
    createdMs: 0,
    updatedMs: 0,
  });
