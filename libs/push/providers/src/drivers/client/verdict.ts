import { isObject, type JsonObject } from '../../json.js';
import { rejected, retryable, type SendOutcome } from '../../outcome.js';

/** Outcomes common to providers. */
export const invalidToken = (reason: string): SendOutcome =>
  rejected('invalid_token', 'device_terminal', reason);
export const invalidPayload = (reason: string): SendOutcome =>
  rejected('invalid_payload', 'caller_payload', reason);
export const authFailure = (reason: string): SendOutcome =>
  rejected('auth_failure', 'credential_auth', reason);
export const otherwise = (reason: string): SendOutcome => rejected('provider_rejected', 'unknown', reason);

type Hints = Parameters<typeof retryable>[3];

export const quota = (reason: string, hints?: Hints): SendOutcome =>
  retryable('quota', 'provider_quota', reason, hints);
export const unavailable = (reason: string, hints?: Hints): SendOutcome =>
  retryable('unavailable', 'provider_transient', reason, hints);

/** Parses a response as an object; empty if it is none. */
export function answerOf(body: string): JsonObject {
  try {
    const answer: unknown = JSON.parse(body);
    return isObject(answer) ? answer : {};
  } catch {
    return {};
  }
}

const MAX_ID_LENGTH = 512;

/** The id that a provider gave, cut to a length that can be stored. */
export const messageId = (id: unknown): string | null =>
  typeof id === 'string' && id !== '' ? id.slice(0, MAX_ID_LENGTH) : null;

/** Whole seconds until then, between 0 and the most the provider takes. */
export const secondsUntil = (expiresAtMs: number, nowMs: number, most: number): number =>
  Math.min(most, Math.max(0, Math.floor((expiresAtMs - nowMs) / 1_000)));
