import { ServiceError } from '@carillon/errors';
import { deliverTest } from '@carillon/webhooks';
import type { Call } from '../http/call.js';
import { ok, type Reply } from '../http/reply.js';
import { appOf } from '../operations/perform.js';
import type { ManagementParts } from '../parts.js';
import { webhooksOf } from './entries.js';

/** Sends one test event now and tells its outcome, also of a failing receiver. */
export async function testWebhook(
  call: Call<unknown, { readonly event_type?: string }>,
  parts: ManagementParts,
): Promise<Reply> {
  const app = await appOf(call, parts);
  const webhook = webhooksOf(app).find(({ id }) => id === call.params['webhook_id']);
  if (webhook === undefined) throw new ServiceError('not_found', { text: 'the webhook does not exist' });
  const { entry } = webhook;
  const event = call.body.event_type ?? entry.event_types[0] ?? 'channel_occupied';
  const { request_timeout_ms: timeoutMs, allow_private_targets: allowPrivate } = parts.config.webhooks;
  const outcome = await deliverTest(app, entry, event, { timeoutMs, allowPrivate });
  const { delivered, status, latencyMs, error } = outcome;
  call.audit.after = { event_type: event, delivered, error };
  return ok({ delivered, status, latency_ms: latencyMs, error });
}
