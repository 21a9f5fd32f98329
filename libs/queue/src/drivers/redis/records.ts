import type { ClaimedJob } from '../../job-store.js';
import type { DeadLetter, JobEvent } from '../../port.js';
import { list, text, whole } from './replies.js';

/** Version, time, fingerprint; the data follows. */
const RECORD = /^2:(\d+):[\w-]*:/;

/** More than a header of a record ever takes. */
export const HEADER_BYTES = 128;

interface JobRecord {
  readonly enqueuedAtMs: number;
  readonly data: string;
}

/** Decodes a stored job; null if it is no job of this version. */
function readRecord(stored: unknown): JobRecord | null {
  const header = typeof stored === 'string' ? RECORD.exec(stored) : null;
  if (header === null || typeof stored !== 'string') return null;
  return { enqueuedAtMs: Number(header[1]), data: stored.slice(header[0].length) };
}

/** A job as `claim` answers it. Null: its record passed the script and is unreadable all the same. */
export function claimedJob(reply: unknown, token: string): ClaimedJob | null {
  const [id, attempt, maxAttempts, stored, owner] = list(reply);
  const record = readRecord(stored);
  if (record === null) return null;
  return {
    id: text(id),
    token,
    attempt: whole(attempt),
    maxAttempts: whole(maxAttempts),
    owner: typeof owner === 'string' ? owner : null,
    ...record,
  };
}

/** A letter as `list-dead` answers it. */
export function deadLetterOf(reply: unknown): DeadLetter {
  const [id, score, attempts, failure, stored] = list(reply);
  const record = readRecord(stored);
  const [reason = '', ...detail] = typeof failure === 'string' ? failure.split('\n') : [];
  const tried = Number(attempts ?? 0);
  return {
    id: text(id),
    data: record?.data ?? null,
    reason: reason === '' ? 'invalid-envelope' : reason,
    detail: detail.join('\n') || null,
    attempts: Number.isSafeInteger(tried) ? tried : 0,
    enqueuedAtMs: record?.enqueuedAtMs ?? null,
    failedAtMs: Math.floor(Number(score) / 1000),
  };
}

const EVENTS: readonly string[] = [
  'enqueued',
  'waiting',
  'active',
  'completed',
  'retrying',
  'stalled',
  'failed',
  'replayed',
] satisfies JobEvent['event'][];

/** An entry of the stream of events; null when it is not one of ours. */
export function eventOf(reply: unknown): JobEvent | null {
  const [id, fields] = list(reply);
  const [first, event, second, jobId] = list(fields);
  if (first !== 'event' || second !== 'job_id' || typeof jobId !== 'string') return null;
  if (typeof event !== 'string' || !EVENTS.includes(event)) return null;
  return { event: event as JobEvent['event'], jobId, timestamp: Number(text(id).split('-', 1)[0]) };
}
