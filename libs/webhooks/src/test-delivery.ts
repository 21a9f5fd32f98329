import type { App } from '@carillon/app-registry';
import type { WebhookEntry } from '@carillon/config';
import { bounded } from '@carillon/runtime';
import { randomUUID } from 'node:crypto';
import { failureOf, statusOf, type WebhookFailure } from './delivery/failure-class.js';
import { webhookHeaders } from './delivery/headers.js';
import { HttpTarget } from './target/http-target.js';
import { LambdaTarget } from './target/lambda-target.js';

export interface TestOutcome {
  readonly delivered: boolean;
  /** Null: there was no answer. */
  readonly status: number | null;
  readonly latencyMs: number;
  readonly error: WebhookFailure | null;
}

export interface TestDeliveryOptions {
  readonly allowPrivate: boolean;
  readonly timeoutMs: number;
}

const CHANNEL = 'service-test';
const TEST_HEADER = 'X-Service-Webhook-Test';

/** Sends one signed event to a receiver: one attempt, the address rules of deliveries, no retry, no dead letter. */
export async function deliverTest(
  app: App,
  entry: WebhookEntry,
  event: string,
  options: TestDeliveryOptions,
): Promise<TestOutcome> {
  const body = Buffer.from(
    JSON.stringify({ time_ms: Date.now(), events: [{ name: event, channel: CHANNEL }] }),
  );
  const timeoutMs = entry.request_timeout_ms ?? options.timeoutMs;
  const headers = { ...webhookHeaders(app, `test_${randomUUID()}`, body, entry.headers), [TEST_HEADER]: '1' };
  const http = new HttpTarget({ allowPrivate: options.allowPrivate });
  const lambda = new LambdaTarget();
  const startedMs = performance.now();
  const outcome = await bounded(timeoutMs + 1000, (signal) => {
    if (entry.url !== null) return http.post({ url: entry.url, headers, body, timeoutMs, signal });
    if (entry.lambda !== null) return lambda.invoke(entry.lambda, body, signal);
    throw new Error('the webhook has no target');
  });
  http.close();
  lambda.close();
  const latencyMs = Math.round(performance.now() - startedMs);
  if (outcome.kind !== 'done') return { delivered: false, status: null, latencyMs, error: 'timeout' };
  if (outcome.value.kind === 'delivered')
    return { delivered: true, status: outcome.value.status, latencyMs, error: null };
  const { reason } = outcome.value;
  return { delivered: false, status: statusOf(reason), latencyMs, error: failureOf(reason) };
}
