import type {
  OperatorEvent,
  StoredCredential,
  StoredDevice,
  StoredSubscription,
  StoredTemplate,
  Subscriber,
} from '../model/resources.js';
import { countByProvider, touchDevice } from '../model/devices.js';
import type { DeviceFilter, ResourceStore, SubscriptionFilter } from '../port/resources.js';
import type { Tables } from './tables.js';

export class MemoryResources implements ResourceStore {
  constructor(protected readonly tables: Tables) {}

  async credential(appId: string, credentialId: string): Promise<StoredCredential | null> {
    return this.tables.credentials.get(appId, credentialId);
  }

  async latestCredential(appId: string, provider: string): Promise<StoredCredential | null> {
    const own = this.tables.credentials.filter((row) => row.appId === appId && row.provider === provider);
    return own.reduce<StoredCredential | null>(
      (latest, row) => (latest === null || row.updatedMs > latest.updatedMs ? row : latest),
      null,
    );
  }

  async credentials(appId: string, after: string | null, limit: number): Promise<StoredCredential[]> {
    return this.tables.credentials.page(
      (row) => row.appId === appId,
      (row) => [row.credentialId],
      after === null ? null : [after],
      limit,
    );
  }

  async allCredentials(after: readonly [string, string] | null, limit: number): Promise<StoredCredential[]> {
    return this.tables.credentials.page(
      () => true,
      (row) => [row.appId, row.credentialId],
      after,
      limit,
    );
  }

  async putCredential(
    row: StoredCredential,
    expected: number | null,
    event: OperatorEvent | null,
  ): Promise<boolean> {
    const stored = this.tables.credentials.get(row.appId, row.credentialId);
    if ((stored?.version ?? null) !== expected) return false;
    this.tables.credentials.put(row);
    if (event !== null) this.tables.operatorEvents.add(event);
    return true;
  }

  async template(appId: string, templateId: string): Promise<StoredTemplate | null> {
    return this.tables.templates.get(appId, templateId);
  }

  async templates(appId: string, after: string | null, limit: number): Promise<StoredTemplate[]> {
    return this.tables.templates.page(
      (row) => row.appId === appId,
      (row) => [row.templateId],
      after === null ? null : [after],
      limit,
    );
  }

  async putTemplate(row: StoredTemplate): Promise<void> {
    const createdMs = this.tables.templates.get(row.appId, row.templateId)?.createdMs ?? row.createdMs;
    this.tables.templates.put({ ...row, createdMs });
  }

  async removeTemplate(appId: string, templateId: string): Promise<void> {
    this.tables.templates.removeWhere((row) => row.appId === appId && row.templateId === templateId);
  }

  async device(appId: string, deviceId: string): Promise<StoredDevice | null> {
    return this.tables.devices.get(appId, deviceId);
  }

  async devicesOf(appId: string, deviceIds: readonly string[]): Promise<StoredDevice[]> {
    return [...new Set(deviceIds)]
      .map((deviceId) => this.tables.devices.get(appId, deviceId))
      .filter((device) => device !== null);
  }

  async devices(
    appId: string,
    filter: DeviceFilter,
    after: string | null,
    limit: number,
  ): Promise<StoredDevice[]> {
    return this.tables.devices.page(
      (row) => row.appId === appId && matches(row, filter),
      (row) => [row.deviceId],
      after === null ? null : [after],
      limit,
    );
  }

  async changeDevice(
    appId: string,
    deviceId: string,
    decide: (existing: StoredDevice | null) => StoredDevice | null,
  ): Promise<void> {
    const existing = this.tables.devices.get(appId, deviceId);
    const changed = decide(existing);
    if (changed === null) return;
    this.tables.devices.put(changed);
    if (existing === null || existing.tokenHash === changed.tokenHash) return;
    const own = this.tables.subscriptions.filter((row) => row.appId === appId && row.deviceId === deviceId);
    for (const row of own) {
      this.tables.subscriptions.put({ ...row, provider: changed.provider, tokenHash: changed.tokenHash });
    }
  }

  async touchDevices(
    appId: string,
    devices: readonly Pick<StoredDevice, 'deviceId' | 'tokenHash'>[],
    { nowMs, beforeMs }: { readonly nowMs: number; readonly beforeMs: number },
  ): Promise<ReadonlySet<string>> {
    const healed = new Set<string>();
    for (const { deviceId, tokenHash } of devices) {
      const device = this.tables.devices.get(appId, deviceId);
      const touched = device === null ? null : touchDevice(device, tokenHash, { nowMs, beforeMs });
      if (touched === null) continue;
      if (touched.state !== device?.state) healed.add(deviceId);
      this.tables.devices.put(touched);
    }
    return healed;
  }

  async removeDevices(appId: string, filter: DeviceFilter): Promise<number> {
    const gone = this.tables.devices.filter((row) => row.appId === appId && matches(row, filter));
    for (const device of gone) this.tables.removeDevice(device);
    return gone.length;
  }

  async removeDeadDevice(
    appId: string,
    deviceId: string,
    tokenHash: string,
    event: OperatorEvent,
  ): Promise<boolean> {
    const device = this.tables.devices.get(appId, deviceId);
    if (device?.tokenHash !== tokenHash) return false;
    this.tables.removeDevice(device);
    this.tables.operatorEvents.add(event);
    return true;
  }

  async countClient(appId: string, clientId: string, most: number): Promise<ReadonlyMap<string, number>> {
    return countByProvider(this.#reachable(appId, clientId), most);
  }

  async putSubscription(row: StoredSubscription): Promise<void> {
    this.tables.subscriptions.put(row);
  }

  async removeSubscriptions(appId: string, filter: SubscriptionFilter): Promise<number> {
    return this.tables.subscriptions.removeWhere((row) => row.appId === appId && matches(row, filter)).length;
  }

  async subscriptions(
    appId: string,
    filter: SubscriptionFilter,
    after: readonly [string, string] | null,
    limit: number,
  ): Promise<StoredSubscription[]> {
    return this.tables.subscriptions.page(
      (row) => row.appId === appId && matches(row, filter),
      (row) => [row.channel, row.deviceId],
      after,
      limit,
    );
  }

  async channels(appId: string, after: string | null, limit: number): Promise<string[]> {
    const seen = new Set<string>();
    const first = (channel: string): boolean => !seen.has(channel) && seen.add(channel) === seen;
    const page = this.tables.subscriptions.page(
      (row) => row.appId === appId && first(row.channel),
      (row) => [row.channel],
      after === null ? null : [after],
      limit,
    );
    return page.map(({ channel }) => channel);
  }

  async countChannel(appId: string, channel: string, most: number): Promise<ReadonlyMap<string, number>> {
    const devices = new Map<string, StoredDevice>();
    for (const row of this.tables.subscriptions.values()) {
      if (row.appId !== appId || row.channel !== channel) continue;
      const own = row.tokenHash === null && row.clientId !== null ? this.#reachable(appId, row.clientId) : [];
      const device = this.tables.devices.get(appId, row.deviceId);
      for (const one of device === null || device.state === 'FAILED' ? own : [device]) {
        devices.set(one.deviceId, one);
      }
    }
    return countByProvider([...devices.values()], most);
  }

  async subscribers(
    appId: string,
    channel: string,
    after: string | null,
    limit: number,
  ): Promise<Subscriber[]> {
    const rows = await this.subscriptions(
      appId,
      { channel },
      after === null ? null : [channel, after],
      limit,
    );
    return rows.map(({ deviceId, clientId, tokenHash }) => ({
      deviceId,
      clientId: tokenHash === null ? clientId : null,
      device: this.tables.devices.get(appId, deviceId),
    }));
  }

  async operatorEvents(sinceMs: number, limit: number): Promise<OperatorEvent[]> {
    return this.tables.operatorEvents.page(
      (row) => row.occurredMs >= sinceMs,
      (row) => [row.occurredMs, row.appId, row.eventId],
      null,
      limit,
    );
  }

  #reachable(appId: string, clientId: string): StoredDevice[] {
    return this.tables.devices.filter(
      (row) => row.appId === appId && row.clientId === clientId && row.state !== 'FAILED',
    );
  }
}

function matches<Row extends object>(row: Row, filter: Partial<Row> | object): boolean {
  const columns = new Map<string, unknown>(Object.entries(row));
  return Object.entries(filter).every(([name, value]) => value === undefined || columns.get(name) === value);
}
