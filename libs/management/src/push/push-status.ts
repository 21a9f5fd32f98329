import { PUSH_PROVIDERS, queueNames } from '@carillon/contracts';
import type { Queue } from '@carillon/queue';
import type { Call } from '../http/call.js';
import { ok, type Reply } from '../http/reply.js';
import { appOf } from '../operations/perform.js';
import type { ManagementParts } from '../parts.js';
import { pushOf } from './perform-push.js';

const CLOUDS = ['fcm', 'apns', 'webpush', 'hms', 'wns'] as const;

/** Providers, lag of the queues and quotas of push. The state of breakers is known to dispatchers only: null. */
export async function pushStatus(call: Call, parts: ManagementParts): Promise<Reply> {
  pushOf(parts);
  await appOf(call, parts);
  const { push } = parts.config;
  const providers = CLOUDS.map((name) => [name, { enabled: push[`${name}_enabled`], breaker: null }]);
  return ok({
    providers: Object.fromEntries(providers) as object,
    admission: push.backpressure.forced ? 'backpressure' : 'ok',
    queue_lag: parts.pushQueue === null ? {} : await lagsOf(parts.pushQueue),
    quotas: push.default_quotas,
  });
}

async function lagsOf(queue: Queue): Promise<object> {
  const { pushPublish, pushShards, pushDelivery, pushResults } = queueNames;
  const names = [pushPublish, pushShards, ...PUSH_PROVIDERS.map(pushDelivery), pushResults];
  const lags = names.map(async (name) => {
    const stats = await queue.stats(name).catch(() => null);
    return [name, { ready: stats?.ready ?? null, oldest_ready_age_ms: stats?.oldestReadyAgeMs ?? null }];
  });
  return Object.fromEntries(await Promise.all(lags)) as object;
}
