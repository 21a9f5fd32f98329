/** A job as it lies at a broker that keeps no more of it than a text. */
export interface Envelope {
  readonly id: string;
  readonly enqueuedAtMs: number;
  /** Deliveries before this copy was written, beside those the broker counts itself. */
  readonly attempts: number;
  /** Delay after it was written; 0: none. */
  readonly waitMs: number;
  /** Owner among which jobs are served in turn. Null: none, or the job was written by an earlier version. */
  readonly owner: string | null;
  readonly data: string;
}

/** Failure of a dead job. */
export interface Death {
  readonly reason: string;
  readonly detail: string | null;
  /** Deliveries made. */
  readonly attempts: number;
  readonly atMs: number;
}

/** A dead job. Null job: the message was no job; its text is kept. */
export interface DeadEnvelope {
  readonly job: Envelope | null;
  readonly text: string;
  readonly death: Death;
}

/** Marks a text as an envelope of a version. */
const MARK = 'carillon-job/1 ';
const DEAD_MARK = 'carillon-dead/1 ';

/** One line about the job, and its data as it is behind it. */
export function encodeJob({ id, enqueuedAtMs, attempts, waitMs, owner, data }: Envelope): string {
  const fields = [id, enqueuedAtMs, attempts, waitMs, ...(owner === null ? [] : [owner])];
  return `${MARK}${JSON.stringify(fields)}\n${data}`;
}

/** Null: it is no job of this version. */
export function decodeJob(text: string): Envelope | null {
  const head = headOf(text, MARK);
  if (head === null) return null;
  const [id, enqueuedAtMs, attempts, waitMs, owner] = head.fields;
  if (typeof id !== 'string' || !isWhole(enqueuedAtMs) || !isWhole(attempts) || !isWhole(waitMs)) return null;
  return {
    id,
    enqueuedAtMs,
    attempts,
    waitMs,
    owner: typeof owner === 'string' ? owner : null,
    data: head.rest,
  };
}

/** One line about its death, and the job as it was behind it. */
export function encodeDead(text: string, { reason, detail, attempts, atMs }: Death): string {
  return `${DEAD_MARK}${JSON.stringify([reason, detail, attempts, atMs])}\n${text}`;
}

/** Decodes a dead letter. Without our header (dead-lettered by the broker itself) the time of death is unknown. */
export function decodeDead(text: string): DeadEnvelope {
  const head = headOf(text, DEAD_MARK);
  const [reason, detail, attempts, atMs] = head?.fields ?? [];
  if (head === null || typeof reason !== 'string' || !isWhole(attempts) || !isWhole(atMs)) {
    return {
      job: decodeJob(text),
      text,
      death: { reason: 'invalid-envelope', detail: null, attempts: 0, atMs: 0 },
    };
  }
  const death = { reason, detail: typeof detail === 'string' ? detail : null, attempts, atMs };
  return { job: decodeJob(head.rest), text: head.rest, death };
}

/** Returns the fields behind the mark in the first line, and the text after that line. Null: not marked. */
function headOf(text: string, mark: string): { fields: readonly unknown[]; rest: string } | null {
  if (!text.startsWith(mark)) return null;
  const end = text.indexOf('\n');
  if (end === -1) return null;
  try {
    const fields: unknown = JSON.parse(text.slice(mark.length, end));
    return Array.isArray(fields) ? { fields, rest: text.slice(end + 1) } : null;
  } catch {
    return null;
  }
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
