import type {
  OperatorEvent,
  StoredCredential,
  StoredDevice,
  StoredSubscription,
  StoredTemplate,
  Subscriber,
} from '../model/resources.js';

export type DeviceFilter = Readonly<Partial<Record<'clientId' | 'deviceId', string>>>;
export type SubscriptionFilter = Readonly<Partial<Record<'channel' | 'deviceId', string>>>;

/** Devices, subscriptions, templates and credentials. The first argument is always the app. */
export interface ResourceStore {
  credential(appId: string, credentialId: string): Promise<StoredCredential | null>;
  /** Most recently changed credential of the provider. */
  latestCredential(appId: string, provider: string): Promise<StoredCredential | null>;
  credentials(appId: string, after: string | null, limit: number): Promise<StoredCredential[]>;
  /** Credentials of all apps. */
  allCredentials(after: readonly [string, string] | null, limit: number): Promise<StoredCredential[]>;
  /**
   * Resolves with false, without a change, if the stored version is not `expected` (null: none). Writes the event
   * atomically with it.
   */
  putCredential(
    row: StoredCredential,
    expected: number | null,
    event: OperatorEvent | null,
  ): Promise<boolean>;

  template(appId: string, templateId: string): Promise<StoredTemplate | null>;
  templates(appId: string, after: string | null, limit: number): Promise<StoredTemplate[]>;
  /** Keeps the time at which an earlier one was created. */
  putTemplate(row: StoredTemplate): Promise<void>;
  removeTemplate(appId: string, templateId: string): Promise<void>;

  device(appId: string, deviceId: string): Promise<StoredDevice | null>;
  /** Returns the existing devices, unordered; at most 1000 ids. */
  devicesOf(appId: string, deviceIds: readonly string[]): Promise<StoredDevice[]>;
  devices(appId: string, filter: DeviceFilter, after: string | null, limit: number): Promise<StoredDevice[]>;
  /**
   * Replaces a device by the result of `decide`; null keeps it. A new token is applied to its subscriptions too. An
   * error of `decide` is rethrown without a change.
   */
  changeDevice(
    appId: string,
    deviceId: string,
    decide: (existing: StoredDevice | null) => StoredDevice | null,
  ): Promise<void>;
  /**
   * Marks devices that still have the token as active: sets `lastActiveMs` where it is before `beforeMs`. Devices in state
   * `FAILING` become `ACTIVE` without failures; resolves with their ids. At most 1000 devices.
   */
  touchDevices(
    appId: string,
    devices: readonly Pick<StoredDevice, 'deviceId' | 'tokenHash'>[],
    times: { readonly nowMs: number; readonly beforeMs: number },
  ): Promise<ReadonlySet<string>>;
  /** With their subscriptions; how many devices it were. */
  removeDevices(appId: string, filter: DeviceFilter): Promise<number>;
  /** Removes a device that still has this token, with its subscriptions. */
  removeDeadDevice(
    appId: string,
    deviceId: string,
    tokenHash: string,
    event: OperatorEvent,
  ): Promise<boolean>;
  /** Devices of a client that are not `FAILED`, by provider; each counted up to `most`. */
  countClient(appId: string, clientId: string, most: number): Promise<ReadonlyMap<string, number>>;

  putSubscription(row: StoredSubscription): Promise<void>;
  /** Neither filter empty: that of the pair. How many it were. */
  removeSubscriptions(appId: string, filter: SubscriptionFilter): Promise<number>;
  subscriptions(
    appId: string,
    filter: SubscriptionFilter,
    after: readonly [string, string] | null,
    limit: number,
  ): Promise<StoredSubscription[]>;
  channels(appId: string, after: string | null, limit: number): Promise<string[]>;
  /** Devices that a channel reaches by providers, `FAILED` ones left out, each counted up to `most`; a device once. */
  countChannel(appId: string, channel: string, most: number): Promise<ReadonlyMap<string, number>>;
  subscribers(appId: string, channel: string, after: string | null, limit: number): Promise<Subscriber[]>;

  /** At or after that time, oldest first. */
  operatorEvents(sinceMs: number, limit: number): Promise<OperatorEvent[]>;
}
