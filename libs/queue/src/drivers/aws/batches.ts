import { written } from '../../broker/written.js';
import { InvalidJob, QueueUnavailable } from '../../failures.js';
import type { PreparedJob } from '../../job-store.js';
import { messageBody } from './texts.js';

/** Most entries of one batch. */
export const BATCH = 10;
/** Most bytes of one message, and of all messages of one request. */
const MAX_BYTES = 262_144;

/** A message of a batch request. */
export interface BatchMessage {
  readonly body: string;
}

/** Entries that were refused, as the answer to a batch request lists them. */
export interface RefusedEntry {
  readonly Id?: string | undefined;
  readonly Code?: string | undefined;
  readonly Message?: string | undefined;
}

/** Sends at most `BATCH` messages; resolves with the failure of each, null for those that were written. */
type SendBatch<Message> = (messages: readonly Message[]) => Promise<readonly (Error | null)[]>;

/** Returns a text as a message body. Throws `InvalidJob` if it exceeds the size of a message less `attributeBytes`. */
export function bodyOf(service: string, text: string, attributeBytes = 0): string {
  const body = messageBody(text);
  const most = MAX_BYTES - attributeBytes;
  const bytes = Buffer.byteLength(body);
  if (bytes > most) throw new InvalidJob(`${service} takes at most ${most} bytes, the message has ${bytes}`);
  return body;
}

/** Returns the failure of each of `count` entries by the answer to a batch request, null for those that were written. */
export function outcomesOf(count: number, refused: readonly RefusedEntry[] = []): readonly (Error | null)[] {
  const failures = new Map(refused.map(({ Id, Message, Code }) => [Id, Message ?? Code ?? 'refused']));
  return Array.from({ length: count }, (_, index) => {
    const failure = failures.get(String(index));
    return failure === undefined ? null : new QueueUnavailable(failure);
  });
}

/**
 * Writes the messages of jobs in order, in as many requests as the limits need. Resolves with the ids of the jobs;
 * rejects with `BatchIncomplete` when only some were written.
 *
 * @param attributeBytes size of each message beside its body
 */
export async function writeInBatches<Message extends BatchMessage>(
  jobs: readonly PreparedJob[],
  messageOf: (job: PreparedJob) => Message,
  send: SendBatch<Message>,
  attributeBytes = 0,
): Promise<string[]> {
  const outcomes = await sendAll(jobs.map(messageOf), send, attributeBytes);
  const failures = new Map(jobs.map((job, index) => [job, outcomes[index] ?? null]));
  return written(jobs, async (job) => {
    const failure = failures.get(job);
    if (failure) throw failure;
  });
}

async function sendAll<Message extends BatchMessage>(
  messages: readonly Message[],
  send: SendBatch<Message>,
  attributeBytes: number,
): Promise<readonly (Error | null)[]> {
  const outcomes: (Error | null)[] = [];
  for (const some of requests(messages, attributeBytes)) {
    try {
      outcomes.push(...(await send(some)));
    } catch (error) {
      const failure = error instanceof Error ? error : new Error('not written');
      outcomes.push(...some.map(() => failure));
    }
  }
  return outcomes;
}

function* requests<Message extends BatchMessage>(
  messages: readonly Message[],
  attributeBytes: number,
): Generator<readonly Message[]> {
  let some: Message[] = [];
  let bytes = 0;
  for (const message of messages) {
    const size = Buffer.byteLength(message.body) + attributeBytes;
    if (some.length === BATCH || (some.length > 0 && bytes + size > MAX_BYTES)) {
      yield some;
      some = [];
      bytes = 0;
    }
    some.push(message);
    bytes += size;
  }
  if (some.length > 0) yield some;
}
