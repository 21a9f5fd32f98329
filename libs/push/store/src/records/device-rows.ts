import type { DeviceState, StoredDevice } from '../model/resources.js';
import type { Draft } from './draft.js';
import { keyOf } from './keys.js';
import { DEVICES, INDEX } from './layout.js';
import type { Parts } from './parts.js';
import type { Pointer } from './pointers.js';

/** Devices of one bucket by state. */
export type BucketCounts = Readonly<Partial<Record<DeviceState, number>>>;

export const deviceOf = (value: string): StoredDevice => JSON.parse(value) as StoredDevice;

export const clientPointer = (appId: string, clientId: string, deviceId: string): Pointer => ({
  partition: INDEX.client(appId, clientId),
  sort: keyOf(deviceId),
});

/** Entries that a device needs before it is stored. */
export async function listDevice(
  { pointers, failed }: Parts,
  existing: StoredDevice | null,
  changed: StoredDevice,
): Promise<void> {
  const { appId, deviceId, clientId, state, lastActiveMs } = changed;
  const needed: Pointer[] = [];
  if (existing === null) needed.push({ partition: INDEX.apps, sort: keyOf(appId) });
  if (clientId !== null && clientId !== existing?.clientId) {
    needed.push(clientPointer(appId, clientId, deviceId));
  }
  await pointers.put(needed);
  const isListed = existing?.state === 'FAILED' && existing.lastActiveMs <= lastActiveMs;
  if (state === 'FAILED' && !isListed) await failed.put([{ timeMs: lastActiveMs, id: [appId, deviceId] }]);
}

/** Counts devices that change their state: `null` stands for a device that does not exist. */
export async function countStates(
  draft: Draft,
  changes: readonly (readonly [DeviceState | null, DeviceState | null])[],
): Promise<void> {
  const moved = changes.filter(([from, to]) => from !== to);
  if (moved.length === 0) return;
  const value = await draft.readOne(DEVICES.counts);
  const counts: Partial<Record<DeviceState, number>> =
    value === null ? {} : (JSON.parse(value) as BucketCounts);
  for (const [from, to] of moved) {
    if (from !== null) counts[from] = Math.max(0, (counts[from] ?? 0) - 1);
    if (to !== null) counts[to] = (counts[to] ?? 0) + 1;
  }
  draft.put(DEVICES.counts, JSON.stringify(counts));
}
