import type { StoredDevice } from './resources.js';

/** The device after a delivery reached this token; null: it stays as it is. */
export function touchDevice(
  device: StoredDevice,
  tokenHash: string,
  { nowMs, beforeMs }: { readonly nowMs: number; readonly beforeMs: number },
): StoredDevice | null {
  if (device.tokenHash !== tokenHash) return null;
  if (device.state === 'FAILING') {
    return { ...device, state: 'ACTIVE', failureCount: 0, errorReason: null, lastActiveMs: nowMs };
  }
  return device.lastActiveMs < beforeMs ? { ...device, lastActiveMs: nowMs } : null;
}

/** Devices by provider, each counted up to `most`. */
export function countByProvider(
  devices: Iterable<Pick<StoredDevice, 'provider'>>,
  most: number,
): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { provider } of devices) counts.set(provider, Math.min(most, (counts.get(provider) ?? 0) + 1));
  return counts;
}
