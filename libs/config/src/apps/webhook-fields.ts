import { boolean, checked, filledText, optional, positive, text, withDefault, type Field } from './field.js';
import { tolerantPattern } from './pattern-field.js';
import { NO_EXTRA } from './extra.js';
import type { Report } from './report.js';
import { at, list, mapOf, table, type Fields } from './table.js';
import {
  WEBHOOK_EVENT_NAMES,
  type LambdaTarget,
  type WebhookEntry,
  type WebhookFilter,
  type WebhookRetry,
} from './webhook-entry.js';

/** The AWS region of a function that is named only by the legacy `lambda_function`. */
const LEGACY_LAMBDA_REGION = 'us-east-1';

/**
 * Headers set by the service, and headers that frame or route a request: with those an app could redirect or truncate
 * it.
 */
export const RESERVED_WEBHOOK_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'content-type',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'x-pusher-key',
  'x-pusher-signature',
  'x-service-signature-next',
  'x-service-webhook-id',
  'x-service-webhook-test',
]);

const httpUrl = checked(text, (value, path, report) => {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    report.problem(path, 'must be an http or https URL');
  }
});

const lambda = table<LambdaTarget>({ function_name: filledText, region: filledText });

const eventTypes = checked(list(filledText), (value, path, report) => {
  if (value.length === 0) report.problem(path, 'must not be empty');
  for (const [place, name] of value.entries()) {
    const known = WEBHOOK_EVENT_NAMES.some((one) => one === name);
    if (!known) report.warn(`${path}[${place}]`, `unknown webhook event "${name}"`);
  }
});

const filter = table<WebhookFilter>({
  channel_prefix: optional(text),
  channel_suffix: optional(text),
  channel_pattern: optional(tolerantPattern),
  channel_namespace: optional(text),
  channel_namespaces: optional(list(text)),
});

const headerMap = mapOf(text);

const headers: Field<Readonly<Record<string, string>>> = {
  read(raw, path, report) {
    const value = headerMap.read(raw, path, report);
    if (value === undefined) return undefined;
    const problems = [...value].map(([name, content]) =>
      headerProblem(name, content, at(path, name), report),
    );
    return problems.includes(true) ? undefined : Object.freeze(Object.fromEntries(value));
  },
  write: (value) => ({ ...value }),
};

function headerProblem(name: string, content: string, path: string, report: Report): boolean {
  const message = !/^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(name)
    ? 'not a header name'
    : RESERVED_WEBHOOK_HEADERS.has(name.toLowerCase())
      ? 'must not replace a header that the service sets'
      : /[^\t\x20-\x7e\x80-\xff]/.test(content)
        ? 'not a header value'
        : null;
  if (message !== null) report.problem(path, message);
  return message !== null;
}

const retry = checked(
  table<WebhookRetry>({
    enabled: optional(boolean),
    max_attempts: optional(positive),
    max_elapsed_time_ms: optional(positive),
    initial_backoff_ms: optional(positive),
    max_backoff_ms: optional(positive),
  }),
  ({ initial_backoff_ms: initial, max_backoff_ms: max }, path, report) => {
    if (initial !== null && max !== null && initial > max) {
      report.problem(at(path, 'initial_backoff_ms'), `must be at most ${max}`);
    }
  },
);

const entryFields: Fields<WebhookEntry> = {
  url: optional(httpUrl),
  lambda: optional(lambda),
  event_types: eventTypes,
  filter: optional(filter),
  headers: withDefault(headers, Object.freeze({})),
  retry: optional(retry),
  request_timeout_ms: optional(positive),
};

interface RawWebhookEntry extends WebhookEntry {
  readonly lambda_function: string | null;
}

const rawEntry = checked(
  table<RawWebhookEntry>({ ...entryFields, lambda_function: optional(filledText) }),
  ({ url, lambda, lambda_function }, path, report) => {
    const targets = [url, lambda, lambda_function].filter((target) => target !== null).length;
    if (targets !== 1) {
      report.problem(path, 'exactly one of url, lambda and lambda_function must be set');
    }
  },
);

const entry = table<WebhookEntry>(entryFields);

/** One entry; the legacy `lambda_function` becomes a `lambda`. */
const webhook: Field<WebhookEntry> = {
  read(raw, path, report) {
    const read = rawEntry.read(raw, path, report);
    if (read === undefined) return undefined;
    const { lambda_function: name, ...rest } = read;
    if (name === null) return Object.freeze(rest);
    const legacy = Object.freeze({ function_name: name, region: LEGACY_LAMBDA_REGION, extra: NO_EXTRA });
    return Object.freeze({ ...rest, lambda: legacy });
  },
  write: (value) => entry.write(value),
};

export const webhooks = list(webhook);
