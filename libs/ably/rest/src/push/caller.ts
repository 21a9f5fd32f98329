import type { App } from '@carillon/app-registry';
import {
  type CompatCore,
  CompatError,
  NOT_GRANTED,
  type Principal,
  readCredentials,
  refusalOf,
} from '@carillon/ably-core';
import { ServiceError } from '@carillon/errors';
import type { PushDone, PushInput, PushOperations, PushRouteName } from '@carillon/push-core';
import type { Entry } from '../access.js';
import type { Ask } from '../exchange.js';
import { type DeviceToken, isDeviceToken, readDeviceToken } from './device-token.js';

/** Input of a push operation besides the caller. */
export type PushQuestion = Partial<Pick<PushInput, 'body' | 'option' | 'requestKey' | 'segments'>>;

/** Converts errors of push to codes of Ably. */
function pushRefusal(error: unknown, isDevice: boolean): unknown {
  if (!(error instanceof ServiceError)) return error;
  if (error.code === 'auth_failed') return new CompatError(40_140, 'the device token is not valid');
  // A device publishes nothing: the limit counts its failed authentications.
  const isForNow = (error.code === 'rate_limited' && !isDevice) || error.code === 'backpressure';
  return isForNow ? new CompatError(50_003, error.message) : refusalOf(error);
}

/** Caller of a push operation, authenticated by credentials, by a device token, or by both. */
export class PushCaller {
  constructor(
    readonly app: App,
    /** Null: authenticated as a device only. */
    readonly principal: Principal | null,
    /** Null: authenticated without a device token. */
    readonly device: DeviceToken | null,
    /** Address of the client; null: unknown. */
    private readonly address: string | null,
    private readonly push: PushOperations,
  ) {}

  get isAdmin(): boolean {
    return this.principal?.capability.allowsAnywhere('push-admin') === true;
  }

  /** Whether it may register devices of its own. */
  get maySubscribe(): boolean {
    return this.principal?.capability.allowsAnywhere('push-subscribe') === true;
  }

  /** Client id; null: none, or the wildcard. */
  get clientId(): string | null {
    const { principal } = this;
    return principal === null || principal.clientId === '*' ? null : principal.clientId;
  }

  /** @throws CompatError 40160 */
  requireAdmin(): void {
    if (!this.isAdmin) throw notGranted();
  }

  /** Whether it may subscribe the client to the channel; null: to any. */
  isClient(clientId: unknown, channel: string | null): boolean {
    if (this.clientId === null || clientId !== this.clientId) return false;
    return channel === null
      ? this.maySubscribe
      : this.principal?.capability.allows('push-subscribe', channel) === true;
  }

  /**
   * Returns the caller of an operation on a device.
   *
   * @throws CompatError 40160 for neither an operator nor a device, 40140 for another device
   */
  asDevice(deviceId: string): PushInput['caller'] {
    if (this.isAdmin) return { kind: 'admin', rotates: false };
    if (this.device === null) throw notGranted();
    if (this.device.deviceId !== deviceId)
      throw new CompatError(40_140, 'the token is that of another device');
    return { kind: 'device', token: this.device.token, address: this.address };
  }

  /** Proves that the device of its token is asking. Rejects with CompatError 40140. */
  async proveDevice(): Promise<void> {
    const deviceId = this.device?.deviceId ?? '';
    const token = this.device?.token ?? null;
    await this.perform(
      'findPushDevice',
      { kind: 'device', token, address: this.address },
      { segments: { deviceId } },
    );
  }

  /** Rejects with CompatError for everything that keeps it from being done. */
  async perform(
    name: PushRouteName,
    caller: PushInput['caller'],
    question: PushQuestion = {},
  ): Promise<PushDone> {
    try {
      return await this.push.perform(name, {
        app: this.app,
        caller,
        segments: {},
        option: () => undefined,
        body: () => undefined,
        quotaOverride: false,
        inFull: true,
        judgesNames: true,
        ...question,
      });
    } catch (error) {
      throw pushRefusal(error, caller.kind === 'device');
    }
  }

  /** Performs an operation as an operator; the route has authorized the caller. */
  admin(name: PushRouteName, question: PushQuestion = {}): Promise<PushDone> {
    return this.perform(name, { kind: 'admin', rotates: false }, question);
  }
}

export const notGranted = (): CompatError => new CompatError(40_160, NOT_GRANTED);

/** Authenticates callers of push operations. */
export class PushEntry {
  constructor(
    private readonly core: CompatCore,
    private readonly push: PushOperations,
    private readonly requests: Pick<Entry, 'about'>,
    private readonly now: () => number,
  ) {}

  async caller({ request }: Ask): Promise<PushCaller> {
    const { query } = request;
    const header = (name: string): string | undefined => request.header(name);
    const credentials = readCredentials({ query, header, clientIdFilters: true });
    const borne = credentials.token !== null && isDeviceToken(credentials.token) ? credentials.token : null;
    const text = request.header('x-ably-devicetoken') ?? borne;
    const device = text === undefined || text === null ? null : readDeviceToken(text);
    const hasMore = (credentials.token !== null && borne === null) || credentials.key !== null;
    const own = borne === null ? credentials : { ...credentials, token: null };
    const principal =
      device === null || hasMore ? await this.core.authentication.prove(own, this.now()) : null;
    const app = principal?.app ?? (await this.core.app(device?.appId ?? ''));
    if (device !== null && device.appId !== app.id)
      throw new CompatError(40_140, 'the device token is not valid');
    this.requests.about(request, app.id);
    return new PushCaller(app, principal, device, request.ip, this.push);
  }
}
