import { accepted } from '../../outcome.js';
import type { Verdict } from '../client/client.js';
import { retryAfter } from '../client/retry-after.js';
import {
  authFailure,
  invalidPayload,
  invalidToken,
  messageId,
  otherwise,
  quota,
  unavailable,
} from '../client/verdict.js';
import type { WireReply } from '../wire/exchange.js';

/** Converts a response of a push service into an outcome, by its status alone. */
export function judgeWebPush({ status, headers }: WireReply, nowMs: number): Verdict {
  const reason = `status_${status}`;
  const retryAtMs = retryAfter(headers, nowMs);
  if (status === 200 || status === 201 || status === 202) {
    return { outcome: accepted(messageId(headers.location)) };
  }
  if (status === 404 || status === 410) return { outcome: invalidToken(reason) };
  if (status === 413) return { outcome: invalidPayload('payload_too_large') };
  if (status === 400) return { outcome: invalidPayload(reason) };
  if (status === 401 || status === 403) return { outcome: authFailure(reason) };
  // Devices choose their services: one service must not stop the sends to others.
  if (status === 429) return { outcome: quota(reason, { retryAtMs, deviceOnly: true }) };
  if (status >= 500 && status < 600) return { outcome: unavailable(reason, { retryAtMs }) };
  return { outcome: otherwise(reason) };
}
