import type { IncomingHttpHeaders } from 'node:http';

const MAX_WAIT_MS = 86_400_000;
const SPREAD = 0.2;

/**
 * Returns the time requested by `Retry-After`; null: missing or invalid. A jitter of up to a fifth is added, so that
 * clients do not return together. Capped at a day: devices choose some of the servers.
 */
export function retryAfter(headers: IncomingHttpHeaders, nowMs: number, random = Math.random): number | null {
  const waitMs = asked(headers['retry-after']?.trim(), nowMs);
  if (waitMs === null) return null;
  const spread = waitMs >= 1_000 ? waitMs * SPREAD * random() : 0;
  return Math.floor(nowMs + Math.min(waitMs, MAX_WAIT_MS) + Math.min(spread, MAX_WAIT_MS * SPREAD));
}

function asked(value: string | undefined, nowMs: number): number | null {
  if (value === undefined || value === '') return null;
  if (/^\d+$/.test(value)) return Number(value) * 1_000;
  // Anything else that the parser of dates would guess at is not one of HTTP.
  const date = /^[A-Z][a-z]+,? /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - nowMs);
}
