import { type Connection, type Hearing, textOf } from '@carillon/nats';
import { randomUUID } from 'node:crypto';
import type { Delivered } from '../../broker/delivered.js';
import type { BrokerLink } from '../../broker/link.js';
import { QueueUnavailable } from '../../failures.js';

/** A message, and how many the server had behind it. */
export interface Pulled extends Delivered {
  readonly pending: number;
}

export interface Pull {
  readonly subject: string;
  /** What the answers come to begins with. */
  readonly inboxPrefix: string;
  readonly batch: number;
  readonly maxBytes: number;
  /** How long the server waits for the batch to be full. */
  readonly waitMs: number;
  /** How long the server may be silent beyond that. */
  readonly timeoutMs: number;
  /** Ends the wait early. */
  readonly signal?: AbortSignal;
  /** Takes what comes after it was ended. */
  readonly late: (delivered: Pulled) => void;
}

type Delivery = Parameters<Hearing['take']>[0];

const NANOSECONDS = 1_000_000;

/** What the server had, at most a batch. Rejects with `QueueUnavailable` when it says nothing or refuses. */
export async function pull(link: BrokerLink<Connection>, options: Pull): Promise<readonly Pulled[]> {
  const connection = await link.session();
  const { subject, inboxPrefix, batch, maxBytes, waitMs, timeoutMs, signal, late } = options;
  return new Promise((resolve, reject) => {
    const inbox = `${inboxPrefix}.${randomUUID()}`;
    const got: Pulled[] = [];
    let isOver = false;
    const end = (failure: Error | null): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', ended);
      unwatch();
      heard.drain();
      if (failure === null) resolve(got);
      else reject(failure);
    };
    const ended = (): void => end(null);
    const take = (delivery: Delivery): void => {
      const { reply = '' } = delivery;
      if (reply === '') {
        // A word of the server instead of a message: it has no more, for now.
        const failure = isOver ? null : refusalOf(delivery);
        end(got.length > 0 ? null : failure);
        return;
      }
      const delivered = deliveredOf(delivery, reply);
      if (isOver) late(delivered);
      else got.push(delivered);
      if (got.length >= batch) end(null);
    };
    const refused = (): void => end(new QueueUnavailable('the server does not allow to hear answers'));
    const timer = setTimeout(() => end(silence(got.length, timeoutMs)), waitMs + timeoutMs);
    const heard = connection.hear({ subject: inbox, take, refused });
    const unwatch = link.whenLost((reason) => end(new QueueUnavailable(reason)));
    signal?.addEventListener('abort', ended, { once: true });
    // One message may be of any size; of several the rest waits for the next pull.
    const bound = batch === 1 ? {} : { max_bytes: maxBytes };
    connection.tell(subject, JSON.stringify({ batch, expires: waitMs * NANOSECONDS, ...bound }), inbox);
    if (signal?.aborted === true) end(null);
  });
}

const silence = (count: number, timeoutMs: number): Error | null =>
  count > 0 ? null : new QueueUnavailable(`no answer in ${timeoutMs} ms`);

/** Nothing there, time over, or what is there is too much for the rest of the pull. */
const ORDINARY = /^(404|408)$|^409 (Message Size Exceeds MaxBytes|Exceeded MaxRequestBatch)/;

/** Null: it only says that there is no more. */
function refusalOf({ headers }: Delivery): Error | null {
  const status = String(headers?.code ?? '');
  const words = ` ${headers?.description ?? ''}`;
  if (ORDINARY.test(status) || ORDINARY.test(`${status}${words}`)) return null;
  return new QueueUnavailable(
    status === '503' ? 'the consumer of the queue is gone' : `refused: ${status}${words}`,
  );
}

/** Where the count of deliveries stands, in the address of older servers and in that of newer ones. */
const COUNT_AT = 4;
const COUNT_AT_V2 = 6;
const WORDS_V2 = 11;

/** The address for acknowledgements says how often the message was handed out, and when it was written. */
function deliveredOf({ data }: Delivery, reply: string): Pulled {
  const words = reply.split('.');
  const at = words.length >= WORDS_V2 ? COUNT_AT_V2 : COUNT_AT;
  const writtenNs = Number(words[at + 3]);
  return {
    token: reply,
    text: textOf(data),
    count: Math.max(1, Number(words[at]) || 1),
    writtenAtMs: Number.isFinite(writtenNs) ? Math.floor(writtenNs / NANOSECONDS) : null,
    pending: Number(words[at + 4]) || 0,
  };
}
