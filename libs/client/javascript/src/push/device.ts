import type { Api } from '../api.js';
import { CarillonError } from '../error.js';
import { randomId } from '../id.js';

/** The delivery address of a device's notifications. */
export type Recipient =
  | {
      readonly transportType: 'web';
      readonly endpoint: string;
      readonly p256dh: string;
      readonly auth: string;
    }
  | { readonly transportType: 'gcm' | 'hms'; readonly registrationToken: string }
  | { readonly transportType: 'apns'; readonly deviceToken: string }
  | { readonly transportType: 'wns'; readonly channelUri: string };

/** The properties of a device. */
export interface DeviceDetails {
  readonly platform: 'android' | 'ios' | 'browser' | 'windows' | 'macos' | 'watchos' | 'tvos' | 'other';
  readonly formFactor: 'phone' | 'tablet' | 'desktop' | 'tv' | 'car' | 'watch' | 'embedded' | 'other';
  readonly clientId?: string;
  readonly locale?: string;
  readonly timezone?: string;
  readonly metadata?: unknown;
}

/** Stores the device's identity: `localStorage`, or any storage that outlives the program. */
export interface DeviceStorage {
  getItem(name: string): string | null;
  setItem(name: string, value: string): void;
  removeItem(name: string): void;
}

/** Dependencies of a device. */
export interface DeviceParts {
  readonly api: Api;
  readonly storage: DeviceStorage;
  /** The prefix of the service's event names, if it is configured to another than `service`. */
  readonly vendor?: string;
}

/** The stored identity of this device. */
interface Identity {
  readonly id: string;
  /** The token that authenticates the device; issued once. */
  readonly token: string | null;
}

const KEPT = 'carillon.push.device';

/** Statuses which mean that the service does not know the device, or no longer does. */
const UNKNOWN: ReadonlySet<number | null> = new Set([401, 403, 404]);

/** This device as the service's push notifications know it. */
export class PushDevice {
  readonly #vendor: string;

  constructor(private readonly parts: DeviceParts) {
    this.#vendor = parts.vendor ?? 'service';
  }

  /** Null if it was never registered or is no longer registered. */
  get id(): string | null {
    return this.#identity?.id ?? null;
  }

  /** Registers the device, or updates its changed properties. Its id is stable across restarts of the program. */
  async register(recipient: Recipient, details: DeviceDetails): Promise<string> {
    const known = this.#identity;
    if (known !== null && known.token !== null) {
      try {
        await this.#post(known.id, recipient, details, this.#asDevice(known.token));
        return known.id;
      } catch (error) {
        if (!(error instanceof CarillonError) || !UNKNOWN.has(error.status)) throw error;
      }
    }
    // The service no longer knows the device, or its token is invalid: registers a new one.
    const id = randomId();
    const { deviceIdentityToken: token = null } = await this.#post(id, recipient, details, {});
    this.#keep({ id, token });
    return id;
  }

  /** It gets the notifications of the channel from now on. */
  async subscribe(channel: string): Promise<void> {
    const { id, headers } = this.#known();
    const body = { channel, deviceId: id };
    await this.parts.api({ method: 'POST', path: '/push/channelSubscriptions', body, headers });
  }

  async unsubscribe(channel: string): Promise<void> {
    const { id, headers } = this.#known();
    const query = { channel, deviceId: id };
    await this.parts.api({ method: 'DELETE', path: '/push/channelSubscriptions', query, headers });
  }

  /** Deletes the registration and its subscriptions. */
  async unregister(): Promise<void> {
    const known = this.#identity;
    if (known === null) return;
    const { headers } = this.#known();
    const path = `/push/deviceRegistrations/${encodeURIComponent(known.id)}`;
    try {
      await this.parts.api({ method: 'DELETE', path, headers });
    } catch (error) {
      if (!(error instanceof CarillonError) || error.status !== 404) throw error;
    }
    this.parts.storage.removeItem(KEPT);
  }

  async #post(
    id: string,
    recipient: Recipient,
    details: DeviceDetails,
    headers: Readonly<Record<string, string>>,
  ): Promise<{ readonly deviceIdentityToken?: string }> {
    const { locale, timezone, ...rest } = details;
    const here = Intl.DateTimeFormat().resolvedOptions();
    const body = {
      id,
      ...rest,
      locale: locale ?? here.locale,
      timezone: timezone ?? here.timeZone,
      push: { recipient },
    };
    const answer = await this.parts.api({ method: 'POST', path: '/push/deviceRegistrations', body, headers });
    return answer as { readonly deviceIdentityToken?: string };
  }

  #known(): { readonly id: string; readonly headers: Readonly<Record<string, string>> } {
    const known = this.#identity;
    if (known === null) throw new CarillonError('The device is not registered');
    return { id: known.id, headers: this.#asDevice(known.token ?? '') };
  }

  #asDevice(token: string): Readonly<Record<string, string>> {
    return {
      [`x-${this.#vendor}-push-capability`]: 'push-subscribe',
      [`x-${this.#vendor}-device-identity-token`]: token,
    };
  }

  get #identity(): Identity | null {
    const text = this.parts.storage.getItem(KEPT);
    return text === null ? null : (JSON.parse(text) as Identity);
  }

  #keep(identity: Identity): void {
    this.parts.storage.setItem(KEPT, JSON.stringify(identity));
  }
}
