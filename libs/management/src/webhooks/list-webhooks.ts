import { ServiceError } from '@carillon/errors';
import { LastAnswers } from '@carillon/webhooks';
import { redactedUrl } from '../apps/view.js';
import type { Call } from '../http/call.js';
import { ok, type Reply } from '../http/reply.js';
import { appOf } from '../operations/perform.js';
import type { ManagementParts } from '../parts.js';
import { type NamedWebhook, webhooksOf } from './entries.js';

/** The webhooks of an app with their last answers. An app has few, so there is one page. */
export async function listWebhooks(call: Call, parts: ManagementParts): Promise<Reply> {
  const app = await appOf(call, parts);
  const answers = new LastAnswers(parts.cache);
  const items = webhooksOf(app).map((webhook) => itemOf(app.id, webhook, answers));
  const read = await Promise.all(items).catch((cause: unknown) => {
    throw new ServiceError('service_unavailable', { text: 'the cache is unavailable', cause });
  });
  return ok({ items: read, next_cursor: null, has_more: false });
}

async function itemOf(appId: string, { id, key, entry, filter }: NamedWebhook, answers: LastAnswers) {
  const { url, lambda, event_types, headers } = entry;
  return {
    webhook_id: id,
    url: url === null ? null : redactedUrl(url),
    ...(lambda === null ? {} : { lambda: { function_name: lambda.function_name, region: lambda.region } }),
    event_types,
    filter,
    header_names: Object.keys(headers),
    ...(await answers.read(appId, key)),
  };
}
