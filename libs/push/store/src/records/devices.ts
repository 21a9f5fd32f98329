import type { Row } from '@carillon/records';
import { touchDevice } from '../model/devices.js';
import type { OperatorEvent, StoredDevice } from '../model/resources.js';
import type { DeviceFilter } from '../port/resources.js';
import { clientPointer, countStates, deviceOf, listDevice } from './device-rows.js';
import type { Draft } from './draft.js';
import { chunks, groupBy } from './group-by.js';
import { behind, keyOf, partsOf } from './keys.js';
import { DEVICE_BUCKETS, DEVICES, deviceKey, INDEX } from './layout.js';
import { mergedPages } from './rows.js';
import { RecordSettings } from './settings.js';

const PAGE = 1000;
/** Rows beside the devices of a commit: their numbers by state. */
const EXTRA_ROWS = 1;

/** Devices, each with its subscriptions in one of the partitions of its app. */
export class RecordDevices extends RecordSettings {
  async device(appId: string, deviceId: string): Promise<StoredDevice | null> {
    const { partition, sort } = deviceKey(appId, deviceId);
    const row = await this.parts.rows.one(partition, sort);
    return row === null ? null : deviceOf(row.value);
  }

  async devicesOf(appId: string, deviceIds: readonly string[]): Promise<StoredDevice[]> {
    const rows = await this.parts.rows.get([...new Set(deviceIds)].map((id) => deviceKey(appId, id)));
    return rows.map(({ value }) => deviceOf(value));
  }

  async devices(
    appId: string,
    { deviceId, clientId }: DeviceFilter,
    after: string | null,
    limit: number,
  ): Promise<StoredDevice[]> {
    if (deviceId !== undefined) {
      const device = after !== null && !isBehind(deviceId, after) ? null : await this.device(appId, deviceId);
      return device === null || (clientId !== undefined && device.clientId !== clientId) ? [] : [device];
    }
    if (clientId !== undefined) return this.#devicesOfClient(appId, clientId, after, limit);
    const { devices, device: sortOf } = DEVICES;
    const span = { ...devices, from: after === null ? devices.from : behind(sortOf(after)) };
    const found: StoredDevice[] = [];
    const pageSize = Math.max(2, Math.ceil((2 * limit) / DEVICE_BUCKETS));
    for await (const page of mergedPages(this.parts.rows, DEVICES.partitions(appId), span, pageSize)) {
      for (const { value } of page) found.push(deviceOf(value));
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  async changeDevice(
    appId: string,
    deviceId: string,
    decide: (existing: StoredDevice | null) => StoredDevice | null,
  ): Promise<void> {
    const { partitions, pointers } = this.parts;
    const { partition, sort } = deviceKey(appId, deviceId);
    const outcome = await partitions.step(partition, async (draft) => {
      const value = await draft.readOne(sort);
      const existing = value === null ? null : deviceOf(value);
      const changed = decide(value === null ? null : deviceOf(value));
      if (changed === null) return null;
      await listDevice(this.parts, existing, changed);
      draft.put(sort, JSON.stringify(changed));
      await countStates(draft, [[existing?.state ?? null, changed.state]]);
      return { existing, changed };
    });
    if (outcome === null) return;
    const [before, now] = [outcome.existing?.clientId ?? null, outcome.changed.clientId];
    if (before === now) return;
    if (now !== null) await pointers.confirm([clientPointer(appId, now, deviceId)]);
    if (before !== null) await this.#unlistClient(appId, before, [deviceId]);
  }

  async touchDevices(
    appId: string,
    devices: readonly Pick<StoredDevice, 'deviceId' | 'tokenHash'>[],
    times: { readonly nowMs: number; readonly beforeMs: number },
  ): Promise<ReadonlySet<string>> {
    const healed = new Set<string>();
    const tokens = new Map(devices.map(({ deviceId, tokenHash }) => [deviceId, tokenHash]));
    const found = await this.devicesOf(appId, [...tokens.keys()]);
    const wanted = found.filter((one) => touchDevice(one, tokens.get(one.deviceId) ?? '', times) !== null);
    const byPartition = groupBy(wanted, ({ deviceId }) => DEVICES.partition(appId, deviceId));
    const size = this.parts.partitions.mostRows - EXTRA_ROWS;
    for (const [partition, some] of byPartition) {
      for (const chunk of chunks(some, size)) {
        const ids = chunk.map(({ deviceId }) => deviceId);
        const well = await this.parts.partitions.step(partition, (draft) =>
          touchRows(draft, ids, tokens, times),
        );
        for (const id of well) healed.add(id);
      }
    }
    return healed;
  }

  async removeDevices(appId: string, filter: DeviceFilter): Promise<number> {
    let removed = 0;
    let after: string | null = null;
    for (;;) {
      const page: readonly StoredDevice[] = await this.devices(appId, filter, after, PAGE);
      for (const { deviceId } of page) {
        const isWanted = ({ clientId }: StoredDevice): boolean =>
          filter.clientId === undefined || clientId === filter.clientId;
        if (await this.removeDevice(appId, deviceId, isWanted)) removed += 1;
      }
      if (page.length < PAGE) return removed;
      after = page.at(-1)?.deviceId ?? null;
    }
  }

  async removeDeadDevice(
    appId: string,
    deviceId: string,
    tokenHash: string,
    event: OperatorEvent,
  ): Promise<boolean> {
    return this.removeDevice(appId, deviceId, (device) => device.tokenHash === tokenHash, event);
  }

  /** Removes a device for which the condition holds, with its subscriptions. False: there is no such device. */
  protected async removeDevice(
    appId: string,
    deviceId: string,
    isWanted: (device: StoredDevice) => boolean,
    event: OperatorEvent | null = null,
  ): Promise<boolean> {
    const { partition, sort } = deviceKey(appId, deviceId);
    const removed: Row[] = [];
    const device = await this.parts.partitions.step(partition, async (draft) => {
      const value = await draft.readOne(sort);
      const existing = value === null ? null : deviceOf(value);
      if (existing === null || !isWanted(existing)) return null;
      removed.push(...(await this.#subscriptionRows(draft, deviceId)));
      draft.delete(sort);
      await countStates(draft, [[existing.state, null]]);
      if (event !== null) {
        const eventSort = DEVICES.operatorEvent(event.eventId);
        if ((await draft.readOne(eventSort)) === null) draft.put(eventSort, JSON.stringify(event));
        await this.listOperatorEvent(event, partition, eventSort);
      }
      return existing;
    });
    if (device === null) return false;
    if (device.clientId !== null) await this.#unlistClient(appId, device.clientId, [deviceId]);
    await this.unlistSubscriptions(appId, removed);
    return true;
  }

  /**
   * Deletes as many subscriptions of a device with the draft as a commit holds. More than these go before, in commits of
   * their own: a removal that is cut off has removed some of them and leaves the device.
   */
  async #subscriptionRows(draft: Draft, deviceId: string): Promise<Row[]> {
    const { partitions, rows } = this.parts;
    const most = partitions.mostRows - 4;
    const all: Row[] = [];
    for await (const page of rows.pages(draft.partition, DEVICES.subscriptions(deviceId), PAGE)) {
      all.push(...page);
    }
    const early = all.slice(0, Math.max(0, all.length - most));
    if (early.length > 0) await partitions.deleteSeen(draft.partition, early);
    const last = all.slice(early.length);
    draft.see(last);
    for (const { sort } of last) draft.delete(sort);
    return all;
  }

  /** Overridden where subscriptions are listed. */
  protected async unlistSubscriptions(_appId: string, _removed: readonly Row[]): Promise<void> {}

  async #devicesOfClient(
    appId: string,
    clientId: string,
    after: string | null,
    limit: number,
  ): Promise<StoredDevice[]> {
    const { rows, pointers } = this.parts;
    const found: StoredDevice[] = [];
    const span = { from: after === null ? null : behind(keyOf(after)), to: null };
    for await (const page of rows.pages(INDEX.client(appId, clientId), span, limit)) {
      const ids = page.map(({ sort }) => partsOf(sort)[0] ?? '');
      const devices = await rows.all(ids.map((id) => deviceKey(appId, id)));
      const stale: string[] = [];
      for (const [index, row] of devices.entries()) {
        const device = row === null ? null : deviceOf(row.value);
        const entry = page[index];
        if (device?.clientId === clientId) found.push(device);
        else if (entry !== undefined && pointers.isSettled(entry)) stale.push(ids[index] ?? '');
      }
      await this.#unlistClient(appId, clientId, stale);
      if (found.length >= limit) break;
    }
    return found.slice(0, limit);
  }

  async #unlistClient(appId: string, clientId: string, deviceIds: readonly string[]): Promise<void> {
    await this.parts.pointers.remove(
      deviceIds.map((deviceId) => clientPointer(appId, clientId, deviceId)),
      async () => {
        const found = await this.parts.rows.all(deviceIds.map((id) => deviceKey(appId, id)));
        return found.map((row) => row !== null && deviceOf(row.value).clientId === clientId);
      },
    );
  }
}

/** The ids of devices that were failing and are well. */
async function touchRows(
  draft: Draft,
  ids: readonly string[],
  tokens: ReadonlyMap<string, string>,
  times: { readonly nowMs: number; readonly beforeMs: number },
): Promise<readonly string[]> {
  const values = await draft.read(ids.map((id) => DEVICES.device(id)));
  const healed: StoredDevice[] = [];
  for (const [sort, value] of values) {
    const device = deviceOf(value);
    const touched = touchDevice(device, tokens.get(device.deviceId) ?? '', times);
    if (touched === null) continue;
    draft.put(sort, JSON.stringify(touched));
    if (touched.state !== device.state) healed.push(device);
  }
  await countStates(
    draft,
    healed.map(({ state }) => [state, 'ACTIVE'] as const),
  );
  return healed.map(({ deviceId }) => deviceId);
}

const isBehind = (id: string, after: string): boolean =>
  Buffer.compare(Buffer.from(id), Buffer.from(after)) > 0;
