import type { StoredDevice } from '@carillon/push-store';
import { sha256 } from '../hash.js';
import type { PushParts } from '../parts.js';
import { safeReason } from '../resources/device-shape.js';
import { tellMeta } from '../watch/meta.js';
import type { Feedback } from './payloads.js';

/** Resolution of a device's last activity: a write per notification would cost more than it is worth. */
const TOUCHED_EVERY_MS = 3_600_000;
/** Failures after which a device counts as failed for good. */
const MAX_FAILURES = 3;

interface Effects {
  readonly appId: string;
  readonly publishId: string;
  readonly results: readonly Feedback[];
  /** Keys of the results that were applied just now. */
  readonly taken: ReadonlySet<string>;
  /** Whether so many devices were declared dead that none is removed any longer. */
  readonly trips: boolean;
}

/** Applies results to devices. Ignored if the token of the device has changed. */
export async function applyToDevices(
  parts: PushParts,
  { appId, publishId, results, taken, trips }: Effects,
): Promise<void> {
  const { metrics, log } = parts;
  if (trips) {
    const [first] = results;
    metrics
      .counter('push_token_invalidation_guard_total')
      .for({ provider: first?.provider ?? '', app: appId })
      .add();
    const detail = { failures: results.length };
    tellMeta(parts, 'token-invalidation-guard', {
      appId,
      publishId,
      provider: first?.provider ?? '',
      detail,
    });
    log.warn('so many devices of a push failed that none is removed', { app_id: appId });
  }
  const reached = new Map<string, string>();
  for (const one of results) {
    const { deviceId } = one.job;
    if (deviceId === null || one.tokenHash === null || one.dryRun) continue;
    const { failureClass, tokenHash, reason } = one;
    if (failureClass === 'device_terminal' && one.outcome === 'rejected') {
      await terminal(parts, { appId, publishId, deviceId, tokenHash, provider: one.provider, trips, reason });
    } else if (failureClass === 'device_transient' && taken.has(one.job.deliveryKey)) {
      await change(parts, appId, deviceId, tokenHash, (device) => failing(device, reason));
    } else if (one.outcome === 'accepted') {
      reached.set(deviceId, tokenHash);
    }
  }
  await touch(parts, appId, reached);
}

/** Devices that were reached, with the tokens they were reached by. One that failed for good stays so until it registers again. */
async function touch(parts: PushParts, appId: string, reached: ReadonlyMap<string, string>): Promise<void> {
  if (reached.size === 0) return;
  const nowMs = parts.now();
  const devices = [...reached].map(([deviceId, tokenHash]) => ({ deviceId, tokenHash }));
  const times = { nowMs, beforeMs: nowMs - TOUCHED_EVERY_MS };
  for (const deviceId of await parts.store.touchDevices(appId, devices, times))
    tellMoved(parts, appId, deviceId, { from: 'FAILING', to: 'ACTIVE' });
}

interface Dead {
  readonly appId: string;
  readonly publishId: string;
  readonly deviceId: string;
  readonly tokenHash: string;
  readonly provider: string;
  readonly trips: boolean;
  readonly reason: string | null;
}

async function terminal(parts: PushParts, dead: Dead): Promise<void> {
  const { appId, deviceId, tokenHash, provider, trips, publishId, reason } = dead;
  const { store, metrics, now } = parts;
  if (trips) {
    const errorReason = safeReason(reason);
    await change(parts, appId, deviceId, tokenHash, (device) => ({
      ...device,
      state: 'FAILED',
      errorReason,
    }));
    return;
  }
  const event = {
    appId,
    eventId: sha256(publishId, deviceId, tokenHash),
    subject: `device:${deviceId}`,
    occurredMs: now(),
  };
  if (!(await store.removeDeadDevice(appId, deviceId, tokenHash, event))) return;
  metrics.counter('push_token_invalidations_total').for({ provider, app: appId }).add();
  tellMeta(parts, 'token-invalidated', { appId, publishId, provider, detail: { deviceId } });
}

async function change(
  parts: PushParts,
  appId: string,
  deviceId: string,
  tokenHash: string,
  next: (device: StoredDevice) => StoredDevice,
): Promise<void> {
  const { store } = parts;
  let moved: readonly [from: string, to: string] | null = null;
  await store.changeDevice(appId, deviceId, (device) => {
    moved = null;
    if (device === null || device.tokenHash !== tokenHash) return null;
    const changed = next(device);
    if (changed.state !== device.state) {
      moved = [device.state, changed.state];
    }
    return changed;
  });
  const [from, to] = moved ?? [];
  if (from === undefined || to === undefined) return;
  tellMoved(parts, appId, deviceId, { from, to });
}

function tellMoved(
  parts: PushParts,
  appId: string,
  deviceId: string,
  { from, to }: { readonly from: string; readonly to: string },
): void {
  parts.metrics.counter('push_device_state_transitions_total').for({ from, to, app: appId }).add();
  tellMeta(parts, 'device-state-changed', { appId, detail: { deviceId, from, to } });
}

function failing(device: StoredDevice, reason: string | null): StoredDevice {
  const failureCount = device.failureCount + 1;
  const state = device.state === 'FAILED' || failureCount >= MAX_FAILURES ? 'FAILED' : 'FAILING';
  return { ...device, state, failureCount, errorReason: safeReason(reason) };
}
