import { ServiceError } from '@carillon/errors';
import { CompatError } from './compat-error.js';

/** Refusals that have a code of their own; others are a malformed request or a service that is not there. */
const CODES: Readonly<Record<string, number>> = {
  rate_limited: 42_910,
  mutable_not_permitted: 40_160,
  forbidden: 40_160,
  feature_disabled: 93_002,
  not_found: 40_400,
  conflict: 40_031,
};

/** Converts a service error to the error for Ably clients; any other value is returned unchanged. */
export function refusalOf(error: unknown): unknown {
  if (!(error instanceof ServiceError)) return error;
  const { code, status, message, aiCode, headers } = error;
  if (code === 'payload_too_large') return new CompatError(40_009, message, aiCode === null ? 400 : 413);
  const known = CODES[code];
  if (known !== undefined)
    return new CompatError(known, message, undefined, Number(headers['retry-after'] ?? 1));
  if (aiCode !== null) return new CompatError(aiCode, message, status);
  if (code === 'backpressure' || status >= 500) return new CompatError(50_003, 'service unavailable, retry');
  return new CompatError(40_000, message);
}

/** Rejects with the converted error. */
export async function orRefused<Value>(asked: Promise<Value> | Value): Promise<Value> {
  try {
    return await asked;
  } catch (error) {
    throw refusalOf(error);
  }
}
