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

/** Devices and whom they belong to, what they are subscribed to, and what is sent with. The app of everything is the first argument. */
export interface ResourceStore {
  credential(appId: string, credentialId: string): Promise<StoredCredential | null>;
  /** That of the provider which was changed last. */
  latestCredential(appId: string, provider: string): Promise<StoredCredential | null>;
  credentials(appId: string, after: string | null, limit: number): Promise<StoredCredential[]>;
  /** Of all apps. */
  allCredentials(after: readonly [string, string] | null, limit: number): Promise<StoredCredential[]>;
  /** False: the stored version is not `expected` (null: there is none), and nothing changed. With it the event. */
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
  /** Those of them that exist, in no order; at most 1000 ids. */
  devicesOf(appId: string, deviceIds: readonly string[]): Promise<StoredDevice[]>;
  devices(appId: string, filter: DeviceFilter, after: string | null, limit: number): Promise<StoredDevice[]>;
  /**
   * Makes of a device what `decide` makes of it; null leaves it as it is. When the token changes, the provider and hash
   * of its subscriptions change with it. An error of `decide` changes nothing and is rethrown.
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
