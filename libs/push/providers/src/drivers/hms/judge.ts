import { accepted, rejected } from '../../outcome.js';
import type { Verdict } from '../client/client.js';
import { retryAfter } from '../client/retry-after.js';
import {
  answerOf,
  authFailure,
  invalidPayload,
  invalidToken,
  messageId,
  otherwise,
  quota,
  unavailable,
} from '../client/verdict.js';
import type { WireReply } from '../wire/exchange.js';

const TOKEN_REFUSED = new Set(['80200001', '80200003', '80200005']);
const NOT_ALLOWED = new Set(['80300002', '80300011']);
const BAD_PAYLOAD = new Set([
  '80100001',
  '80100003',
  '80100004',
  '80100013',
  '80100016',
  '80100018',
  '80300008',
  '80300010',
  '80300013',
]);
const FLOW_CONTROL = '80100017';
const DOWN = new Set(['80600003', '81000001']);

/** Converts a response of HMS into an outcome: by its code, or by the status if the code is unknown. */
export function judgeHms({ status, headers, body }: WireReply, token: string, nowMs: number): Verdict {
  const { code: given, msg, requestId } = answerOf(body);
  const code = typeof given === 'string' || typeof given === 'number' ? String(given) : '';
  const reason = /^8\d{7}$/.test(code) ? code : `status_${status}`;
  const retryAtMs = retryAfter(headers, nowMs);
  if (code === '80000000') return { outcome: accepted(messageId(requestId)) };
  if (code === '80300007' || (code === '80100000' && isIllegal(msg, token))) {
    return { outcome: invalidToken(reason) };
  }
  if (TOKEN_REFUSED.has(code)) return { outcome: authFailure(reason), tokenRefused: true };
  if (NOT_ALLOWED.has(code)) return { outcome: authFailure(reason) };
  if (BAD_PAYLOAD.has(code)) return { outcome: invalidPayload(reason) };
  if (code === FLOW_CONTROL) return { outcome: quota(reason, { retryAtMs }) };
  if (DOWN.has(code)) return { outcome: unavailable(reason, { retryAtMs }) };
  return judgeStatus(status, reason, retryAtMs);
}

function judgeStatus(status: number, reason: string, retryAtMs: number | null): Verdict {
  if (status === 401) return { outcome: authFailure(reason), tokenRefused: true };
  if (status === 403) return { outcome: authFailure(reason) };
  if (status === 404) return { outcome: rejected('project_mismatch', 'credential_auth', reason) };
  if (status === 400 || status === 413) return { outcome: invalidPayload(reason) };
  if (status === 429 || status === 503) return { outcome: quota(reason, { retryAtMs }) };
  if ([500, 502, 504].includes(status)) return { outcome: unavailable(reason, { retryAtMs }) };
  return { outcome: otherwise(reason) };
}

/** Some of the tokens were refused: the message is JSON inside the JSON. */
function isIllegal(message: unknown, token: string): boolean {
  const { illegal_tokens: illegal } = typeof message === 'string' ? answerOf(message) : {};
  return Array.isArray(illegal) && token !== '' && illegal.includes(token);
}
