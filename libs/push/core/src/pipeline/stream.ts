import type { Provider } from '@carillon/push-providers';
import type { PushStore, StoredDevice } from '@carillon/push-store';
import type { Target } from '../admission/targets.js';
import { bucketOf, sha256 } from '../hash.js';
import type { Reached } from './batcher.js';

const PAGE = 1000;

interface Place {
  readonly store: PushStore;
  readonly appId: string;
  readonly publishId: string;
}

/** Selects devices: shard, cursor, limit. */
interface Part {
  readonly shardIndex: number;
  readonly shardCount: number;
  readonly cursor: string | null;
  readonly limit: number;
}

type Add = (reached: Reached) => Promise<void>;
type Seen = Pick<StoredDevice, 'provider' | 'state' | 'tokenHash'>;

/**
 * Streams the deliverable devices of a target page by page. Ends after the page that reaches the limit; returns the
 * position to resume from, or null at the end.
 */
export async function streamDevices(
  place: Place,
  target: Extract<Target, { type: 'device' | 'client' | 'channel' }>,
  part: Part,
  add: Add,
): Promise<string | null> {
  const { store, appId } = place;
  if (target.type === 'device') {
    const device = await store.device(appId, target.deviceId);
    if (device !== null) await addDevice(device.deviceId, device, add);
    return null;
  }
  if (target.type === 'client') return ofClient(place, target.clientId, part, add);
  let after = part.cursor;
  let count = 0;
  for (;;) {
    const page = await store.subscribers(appId, target.channel, after, PAGE);
    for (const { deviceId, clientId, device } of page) {
      if (!isOfPart(deviceId, part)) continue;
      if (clientId !== null) {
        await ofClient(place, clientId, { shardIndex: 0, shardCount: 1, cursor: null, limit: Infinity }, add);
      } else if (device !== null && (await addDevice(deviceId, device, add))) count += 1;
    }
    if (page.length < PAGE) return null;
    after = page.at(-1)?.deviceId ?? null;
    if (count >= part.limit) return after;
  }
}

async function ofClient(
  { store, appId }: Place,
  clientId: string,
  part: Part,
  add: Add,
): Promise<string | null> {
  let after = part.cursor;
  let count = 0;
  for (;;) {
    const page = await store.devices(appId, { clientId }, after, PAGE);
    for (const device of page) {
      if (isOfPart(device.deviceId, part) && (await addDevice(device.deviceId, device, add))) count += 1;
    }
    if (page.length < PAGE) return null;
    after = page.at(-1)?.deviceId ?? null;
    if (count >= part.limit) return after;
  }
}

const isOfPart = (deviceId: string, { shardIndex, shardCount }: Part): boolean =>
  shardCount === 1 || bucketOf(sha256(deviceId), shardCount) === shardIndex;

async function addDevice(deviceId: string, { provider, state, tokenHash }: Seen, add: Add): Promise<boolean> {
  if (state === 'FAILED') return false;
  await add({ provider: provider as Provider, tokenHash, deviceId, recipient: null, audience: null });
  return true;
}
