import { isObject, type JsonObject } from '../../json.js';
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

/** The words for errors that the documentation has. */
const WORDS = new Set([
  'UNSPECIFIED_ERROR',
  'INVALID_ARGUMENT',
  'UNREGISTERED',
  'SENDER_ID_MISMATCH',
  'QUOTA_EXCEEDED',
  'UNAVAILABLE',
  'INTERNAL',
  'THIRD_PARTY_AUTH_ERROR',
  'NOT_FOUND',
  'PERMISSION_DENIED',
  'UNAUTHENTICATED',
  'RESOURCE_EXHAUSTED',
]);
const DEFAULT_QUOTA_WAIT_MS = 60_000;
const LEAST_WAIT_MS = 10_000;
const BAD_TOKEN = /registration.token is not (a )?valid/i;
const GONE = /registration-token-not-registered/;

/** Converts a response of FCM into an outcome. */
export function judgeFcm({ status, headers, body }: WireReply, nowMs: number): Verdict {
  const answer = answerOf(body);
  if (status >= 200 && status < 300) return { outcome: accepted(messageId(answer['name'])) };
  const error = isObject(answer['error']) ? answer['error'] : {};
  const words = wordsOf(error);
  const reason = words.find((word) => WORDS.has(word)) ?? `status_${status}`;
  if (words.includes('UNREGISTERED') || GONE.test(body)) return { outcome: invalidToken('UNREGISTERED') };
  if (status === 400 && words.includes('INVALID_ARGUMENT') && blamesToken(error)) {
    return { outcome: invalidToken('INVALID_ARGUMENT') };
  }
  if (status === 400 || status === 413) return { outcome: invalidPayload(reason) };
  if (status === 404) return { outcome: rejected('project_mismatch', 'credential_auth', reason) };
  if (status === 403 && words.includes('SENDER_ID_MISMATCH')) {
    return { outcome: rejected('project_mismatch', 'credential_auth', 'sender_id_mismatch') };
  }
  if (status === 401 || status === 403 || words.includes('THIRD_PARTY_AUTH_ERROR')) {
    const tokenRefused = status === 401 && !words.includes('THIRD_PARTY_AUTH_ERROR');
    return { outcome: authFailure(reason), tokenRefused };
  }
  const retryAtMs = retryAfter(headers, nowMs);
  if (status === 429) {
    return {
      outcome: quota(reason, { retryAtMs, minimumWaitMs: retryAtMs === null ? DEFAULT_QUOTA_WAIT_MS : 0 }),
    };
  }
  if ([500, 502, 503, 504].includes(status)) {
    const wanted = retryAtMs === null ? null : Math.max(retryAtMs, nowMs + LEAST_WAIT_MS);
    return { outcome: unavailable(reason, { retryAtMs: wanted, minimumWaitMs: LEAST_WAIT_MS }) };
  }
  return { outcome: otherwise(reason) };
}

/** The particular code first, the general status after it. */
function wordsOf(error: JsonObject): string[] {
  const codes = detailsOf(error).map(({ errorCode }) => errorCode);
  return [...codes, error['status']].filter((word) => typeof word === 'string');
}

function blamesToken(error: JsonObject): boolean {
  const violations = detailsOf(error).flatMap(({ fieldViolations }) =>
    Array.isArray(fieldViolations) ? fieldViolations.filter(isObject) : [],
  );
  const { message } = error;
  return (
    violations.some(({ field }) => field === 'message.token') ||
    (typeof message === 'string' && BAD_TOKEN.test(message))
  );
}

const detailsOf = ({ details }: JsonObject): JsonObject[] =>
  Array.isArray(details) ? details.filter(isObject) : [];
