import type { Below, Wanted } from '@carillon/history-store';
import type { Arrival } from './arrival.js';
import { TakenSummaries } from './known-summaries.js';
import { messagesOf } from './wanted-messages.js';
import { receiptScope } from './receipts.js';
import { WRONG } from './wrong.js';

/** A resend of the very same record is answered for so long after its receipt has expired. */
const RESEND_GRACE_MS = 10_000;
/** Validity of the receipt of a record without an idempotency key. */
export const PUB_ID_TTL_MS = 600_000;

const NOTHING_TAKEN = new TakenSummaries();

/** Returns the state that a batch requires. */
export function wantedOf(
  arrivals: readonly Arrival[],
  nowMs: number,
  summaries: TakenSummaries = NOTHING_TAKEN,
): Wanted {
  const streams = new Map<string, Wanted['streams'][number]>();
  let longestMs = PUB_ID_TTL_MS;
  for (const { record, address, stream } of arrivals) {
    const create = record.op !== 'purge' && record.op !== 'mark';
    streams.set(stream, { address, create });
    if ('idem' in record && record.idem !== undefined) longestMs = Math.max(longestMs, record.idem.ttl_ms);
  }
  return {
    nowMs,
    streams: [...streams.values()],
    receipts: {
      scopes: [...new Set(arrivals.map(({ record }) => receiptScope(record)))],
      sinceMs: Math.max(0, nowMs - longestMs - RESEND_GRACE_MS),
    },
    members: arrivals.flatMap(({ record, address }) =>
      record.op === 'presence' ? [{ address, userId: record.user_id }] : [],
    ),
    crowds: crowdsOf(arrivals),
    below: belowOf(arrivals[0]),
    inspect: arrivals.some(isAboutRows),
    ...seenIn(arrivals[0]),
    ...messagesOf(arrivals, summaries),
  };
}

/** Claims about rows, and about restored health, are verified by an inspection. */
function isAboutRows({ record, address }: Arrival): boolean {
  if (record.op !== 'mark') return false;
  return WRONG.has(record.reason ?? '') || (record.state === 'healthy' && address.kind === 'messages');
}

function crowdsOf(arrivals: readonly Arrival[]): Wanted['crowds'] {
  const crowds = new Map<string, Wanted['crowds'][number]>();
  for (const { record, address, stream } of arrivals) {
    if (record.op !== 'presence') continue;
    crowds.set(stream, { address, events: (crowds.get(stream)?.events ?? 0) + 1 });
  }
  return [...crowds.values()];
}

/** A mark comes alone. */
function seenIn(first: Arrival | undefined): Pick<Wanted, 'messageIdAt'> {
  if (first?.record.op !== 'mark') return {};
  const { seen_message_id: id, seen_delivery_serial: serial } = first.record;
  return id === undefined || serial === undefined ? {} : { messageIdAt: serial };
}

function belowOf(first: Arrival | undefined): Below | null {
  if (first?.record.op === 'reset') return { mode: 'all' };
  if (first?.record.op !== 'purge') return null;
  const { mode, before_serial: serial, before_time_ms: timeMs } = first.record;
  if (mode === 'before_serial') return { mode, serial: serial ?? 1 };
  return mode === 'before_time_ms' ? { mode, timeMs: timeMs ?? 0 } : { mode };
}
