import { REDACTED, type WebhookEntry } from '@carillon/config';
import type { FieldProblem } from '@carillon/errors';
import { isJsonObject } from './merge-patch.js';
import { redactedUrl } from './view.js';

type Json = Record<string, unknown>;

/**
 * Replaces `<redacted>` in given webhooks by the value of the stored webhook with the same target. Of several with one
 * target each is used once, in order.
 */
export function restoreWebhooks(
  given: unknown,
  stored: readonly WebhookEntry[],
  problems: FieldProblem[],
): unknown {
  if (!Array.isArray(given)) return given;
  const left = [...stored];
  return given.map((entry: unknown, index) => {
    if (!isJsonObject(entry) || !JSON.stringify(entry).includes(REDACTED)) return entry;
    const path = `policy.webhooks[${index}]`;
    const at = left.findIndex((one) => targetOf(one) === targetOf(entry));
    const [former] = at < 0 ? [] : left.splice(at, 1);
    if (former === undefined) {
      problems.push({ path, message: `has ${REDACTED} values, but no stored webhook has its target` });
      return entry;
    }
    return restored(entry, former, path, problems);
  });
}

function restored(entry: Json, former: WebhookEntry, path: string, problems: FieldProblem[]): Json {
  const { url: given } = entry;
  const url = typeof given === 'string' && given.includes(REDACTED) ? former.url : given;
  const headers = isJsonObject(entry['headers'])
    ? Object.fromEntries(
        Object.entries(entry['headers']).map(([name, value]) => {
          if (value !== REDACTED) return [name, value];
          const kept = Object.hasOwn(former.headers, name) ? former.headers[name] : undefined;
          if (kept === undefined)
            problems.push({ path: `${path}.headers.${name}`, message: 'has no stored value to keep' });
          return [name, kept ?? ''];
        }),
      )
    : entry['headers'];
  return {
    ...entry,
    ...(url === undefined || url === null ? {} : { url }),
    ...(headers === undefined ? {} : { headers }),
  };
}

/** The target of a webhook, equal for its redacted and its stored form. */
function targetOf(entry: Json | WebhookEntry): string {
  const { url, lambda } = entry as Json;
  if (typeof url === 'string') return unredacted(url);
  return JSON.stringify(isJsonObject(lambda) ? [lambda['function_name'], lambda['region']] : lambda);
}

function unredacted(url: string): string {
  return URL.canParse(url) ? redactedUrl(url).replaceAll('%3Credacted%3E', REDACTED) : url;
}
