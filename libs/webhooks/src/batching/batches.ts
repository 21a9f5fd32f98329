import { encode, MAX_WEBHOOK_EVENTS, WEBHOOK_JOB } from '@carillon/contracts';
import { randomUUID } from 'node:crypto';
import type { OwnedEvent } from './owned-event.js';

/** An event that is certain, waiting for its batch. */
export interface CollectedEvent {
  readonly appId: string;
  readonly name: string;
  readonly channel: string;
  /** JSON text. */
  readonly body: string;
  /** When it arose, milliseconds since 1970. */
  readonly atMs: number;
  /** Memory charged while it waits. */
  readonly bytes: number;
  /** W3C trace parent of its cause; absent if not traced. */
  readonly trace?: string | undefined;
  /** Absent: no other process sends the event. */
  readonly owned?: OwnedEvent | undefined;
}

/** Consecutive events of one app, ready for the queue. */
export interface Batch {
  readonly id: string;
  readonly appId: string;
  readonly data: string;
  readonly events: number;
  readonly bytes: number;
  /** Trace of its first event. */
  readonly trace?: string | undefined;
  /** Called when the batch is in the queue, or dropped for good. */
  readonly settle: () => void;
}

export interface CutBatches {
  readonly batches: readonly Batch[];
  /** Events that no job of this queue can hold. */
  readonly tooLarge: readonly CollectedEvent[];
}

/**
 * Cuts events of one app, oldest first, into as few batches as the number of events and the size of a job allow.
 */
export function cutBatches(
  events: readonly CollectedEvent[],
  maxEvents: number,
  maxJobBytes: number,
): CutBatches {
  const batches: Batch[] = [];
  const tooLarge: CollectedEvent[] = [];
  const cut = (part: readonly CollectedEvent[]): void => {
    const [first] = part;
    if (first === undefined) return;
    const batch = batchOf(first, part, maxJobBytes);
    if (batch !== null) batches.push(batch);
    else if (part.length === 1) tooLarge.push(first);
    else {
      const half = Math.ceil(part.length / 2);
      cut(part.slice(0, half));
      cut(part.slice(half));
    }
  };
  const size = Math.min(maxEvents, MAX_WEBHOOK_EVENTS);
  for (let start = 0; start < events.length; start += size) cut(events.slice(start, start + size));
  return { batches, tooLarge };
}

/** Null: it does not fit into one job. */
function batchOf(
  first: CollectedEvent,
  events: readonly CollectedEvent[],
  maxJobBytes: number,
): Batch | null {
  // Alone, it is the same job whichever process sends it.
  const id = (events.length === 1 && first.owned?.id) || randomUUID();
  const body = {
    batch_id: id,
    app_id: first.appId,
    time_ms: first.atMs,
    trace: first.trace,
    events: events.map(({ name, channel, body: text }) => ({ name, channel, body: text })),
  };
  const encoded = encode(WEBHOOK_JOB, body, maxJobBytes);
  if (!encoded.ok) return null;
  const bytes = events.reduce((sum, event) => sum + event.bytes, 0);
  // Not the events themselves, which the batch holds as text.
  const owned = events.flatMap((event) => event.owned ?? []);
  const settle = (): void => owned.forEach((one) => one.settle());
  const { appId, trace } = first;
  return { id, appId, data: encoded.text, events: events.length, bytes, trace, settle };
}
