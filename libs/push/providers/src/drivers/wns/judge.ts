import { accepted, rejected } from '../../outcome.js';
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

/** Converts a response of WNS into an outcome, by status and headers. */
export function judgeWns({ status, headers }: WireReply, nowMs: number): Verdict {
  const reason = `status_${status}`;
  const retryAtMs = retryAfter(headers, nowMs);
  if (status >= 200 && status <= 202) {
    const notification = header(headers['x-wns-notificationstatus'])?.toLowerCase();
    if (notification === 'channelthrottled')
      return { outcome: quota('channelthrottled', { retryAtMs, deviceOnly: true }) };
    if (notification === 'dropped') return { outcome: rejected('dropped', 'device_transient', 'dropped') };
    return { outcome: accepted(messageId(header(headers['x-wns-msg-id']))) };
  }
  if (status === 404 || status === 410) return { outcome: invalidToken(reason) };
  if (status === 401 || status === 403) {
    return { outcome: authFailure(reason), tokenRefused: status === 401 };
  }
  if (status === 400 || status === 413) return { outcome: invalidPayload(reason) };
  // 406: this sender sends too much.
  if (status === 406 || status === 429) return { outcome: quota(reason, { retryAtMs }) };
  if (status >= 500 && status < 600) return { outcome: unavailable(reason, { retryAtMs }) };
  return { outcome: otherwise(reason) };
}

const header = (value: string | string[] | undefined): string | undefined =>
  Array.isArray(value) ? value[0] : value;
