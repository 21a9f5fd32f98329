import { CarillonError } from '../error.js';
import {
  type DeviceDetails,
  type DeviceParts,
  type DeviceStorage,
  PushDevice,
  type Recipient,
} from './device.js';

/** Push options of a page. */
export interface BrowserPushOptions extends Omit<DeviceParts, 'storage'> {
  /** The public key of the app's web push credential. */
  readonly vapidPublicKey: string;
  /** The path of the service worker on the page's own server. */
  readonly serviceWorker: string;
  /** Absent: the browser's `localStorage`. */
  readonly storage?: DeviceStorage;
}

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(
    atob(base64url.replaceAll('-', '+').replaceAll('_', '/')),
    (one) => one.codePointAt(0) ?? 0,
  );

const base64url = (bytes: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes ?? new ArrayBuffer(0))))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

/** The recipient that a browser's subscription is. */
export function recipientOf(subscription: PushSubscription): Recipient {
  return {
    transportType: 'web',
    endpoint: subscription.endpoint,
    p256dh: base64url(subscription.getKey('p256dh')),
    auth: base64url(subscription.getKey('auth')),
  };
}

/** Notifications in this browser, also while no page of the app is open. */
export class BrowserPush {
  readonly device: PushDevice;

  constructor(private readonly options: BrowserPushOptions) {
    this.device = new PushDevice({ ...options, storage: options.storage ?? localStorage });
  }

  /** Whether this browser can do it at all. */
  static get isPossible(): boolean {
    return 'serviceWorker' in navigator && 'PushManager' in globalThis && 'Notification' in globalThis;
  }

  /**
   * Requests permission, subscribes this browser, and registers it as a device. Call it from a click the first time,
   * and whenever the page is opened. Rejects if permission is denied. Resolves with the device's id.
   */
  async register(details: Partial<DeviceDetails> = {}): Promise<string> {
    if (!BrowserPush.isPossible) throw new CarillonError('This browser has no push notifications');
    if ((await Notification.requestPermission()) !== 'granted') {
      throw new CarillonError('The person does not want notifications');
    }
    const registration = await this.#worker();
    const subscription = await this.#subscription(registration);
    return this.device.register(recipientOf(subscription), {
      platform: 'browser',
      formFactor: 'desktop',
      ...details,
    });
  }

  /** Ends it in the browser and at the service. */
  async unregister(): Promise<void> {
    const registration = await navigator.serviceWorker.getRegistration(this.options.serviceWorker);
    const subscription = await registration?.pushManager.getSubscription();
    await subscription?.unsubscribe();
    await this.device.unregister();
  }

  async #worker(): Promise<ServiceWorkerRegistration> {
    await navigator.serviceWorker.register(this.options.serviceWorker, { type: 'module' });
    return navigator.serviceWorker.ready;
  }

  /** A subscription for another key is of no use: it is replaced. */
  async #subscription({ pushManager }: ServiceWorkerRegistration): Promise<PushSubscription> {
    const { vapidPublicKey } = this.options;
    const known = await pushManager.getSubscription();
    if (known !== null) {
      if (base64url(known.options.applicationServerKey) === vapidPublicKey.replaceAll('=', '')) return known;
      await known.unsubscribe();
    }
    return pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: bytesOf(vapidPublicKey),
    });
  }
}
