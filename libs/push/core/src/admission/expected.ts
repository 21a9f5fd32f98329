import { providerOf } from '@carillon/push-providers';
import type { PushParts } from '../parts.js';
import type { Target } from './targets.js';

const LEAST_BOUND = 100_000;

/** Returns the expected deliveries by provider; a lower bound for targets too large to count. */
export async function expectedOf(
  { store, config }: PushParts,
  appId: string,
  targets: readonly Target[],
): Promise<ReadonlyMap<string, number>> {
  const { fanout_fast_threshold: threshold, default_quotas: quotas } = config.push;
  const most = Math.max(threshold, quotas.fanout_max + 1, LEAST_BOUND);
  const counts = new Map<string, number>();
  for (const target of targets) {
    for (const [provider, count] of await reachedBy(target)) {
      counts.set(provider, (counts.get(provider) ?? 0) + count);
    }
  }
  return counts;

  async function reachedBy(target: Target): Promise<ReadonlyMap<string, number>> {
    if (target.type === 'recipient') return new Map([[providerOf(target.recipient), 1]]);
    if (target.type === 'audience') return new Map([[target.provider, 1]]);
    if (target.type === 'client') return store.countClient(appId, target.clientId, most);
    if (target.type === 'channel') return store.countChannel(appId, target.channel, most);
    const device = await store.device(appId, target.deviceId);
    return device === null || device.state === 'FAILED' ? new Map() : new Map([[device.provider, 1]]);
  }
}
