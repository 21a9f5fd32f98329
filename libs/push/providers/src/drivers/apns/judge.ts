import { accepted, rejected, retryable } from '../../outcome.js';
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

const TOPIC = new Set(['DeviceTokenNotForTopic', 'BadTopic', 'TopicDisallowed', 'MissingTopic']);

/** Documented reasons without an effect of their own. */
const OTHERS = new Set([
  'BadCollapseId',
  'BadExpirationDate',
  'BadMessageId',
  'BadPriority',
  'DuplicateHeaders',
  'InvalidPushType',
  'MissingDeviceToken',
  'PayloadEmpty',
  'PayloadTooLarge',
  'BadPath',
  'MethodNotAllowed',
  'BadCertificate',
  'BadCertificateEnvironment',
  'ExpiredProviderToken',
  'Forbidden',
  'InvalidProviderToken',
  'MissingProviderToken',
  'UnrelatedKeyIdInToken',
  'BadEnvironmentKeyIdInToken',
  'TooManyProviderTokenUpdates',
  'TooManyRequests',
  'InternalServerError',
  'ServiceUnavailable',
  'Shutdown',
  'IdleTimeout',
  'BadDeviceToken',
  'Unregistered',
  'ExpiredToken',
]);

/** Converts a response of APNs into an outcome. */
export function judgeApns({ status, headers, body }: WireReply, nowMs: number): Verdict {
  if (status === 200) return { outcome: accepted(messageId(headers['apns-id'])) };
  const { reason: given } = answerOf(body);
  const known = typeof given === 'string' && (TOPIC.has(given) || OTHERS.has(given));
  const reason = known ? given : `status_${status}`;
  const retryAtMs = retryAfter(headers, nowMs);
  if (status === 400) return judgeBad(reason, retryAtMs);
  if (status === 410 && (reason === 'Unregistered' || reason === 'ExpiredToken')) {
    return { outcome: invalidToken(reason) };
  }
  if (status === 404 || status === 405 || status === 413) return { outcome: invalidPayload(reason) };
  if (status === 403) return judgeForbidden(reason, retryAtMs);
  if (status === 429) {
    return reason === 'TooManyProviderTokenUpdates'
      ? judgeForbidden(reason, retryAtMs)
      : { outcome: quota(reason, { retryAtMs, deviceOnly: true }) };
  }
  if (status === 500 || status === 503) return { outcome: unavailable(reason, { retryAtMs }) };
  return { outcome: otherwise(reason) };
}

function judgeBad(reason: string, retryAtMs: number | null): Verdict {
  if (reason === 'BadDeviceToken') return { outcome: invalidToken(reason) };
  if (TOPIC.has(reason) || reason === 'BadCertificateEnvironment') return { outcome: wrongTopic(reason) };
  if (reason === 'IdleTimeout') return { outcome: unavailable(reason, { retryAtMs }) };
  return { outcome: invalidPayload(reason) };
}

function judgeForbidden(reason: string, retryAtMs: number | null): Verdict {
  const later = retryable('auth_failure', 'credential_auth', reason, { retryAtMs });
  if (reason === 'ExpiredProviderToken') return { outcome: later, tokenRefused: true };
  if (reason === 'TooManyProviderTokenUpdates') return { outcome: later };
  if (reason === 'BadCertificateEnvironment') return { outcome: wrongTopic(reason) };
  return { outcome: authFailure(reason) };
}

const wrongTopic = (reason: string) => rejected('apns_topic_mismatch', 'credential_auth', reason);
