import { randomUUID } from 'node:crypto';
import { signedApi, type SignedApi } from '../api/signed.js';
import { type BatchItem, batchItems } from '../messages/batch-input.js';
import { dataText, eventMembers, idempotencyKey } from '../messages/event-body.js';
import { showPublished } from '../messages/publish-answer.js';
import { CommandError, commandErrorOf, usageError } from '../program/errors.js';
import type { Invocation } from '../program/invocation.js';

const DEFAULT_BATCH = 10;
const MAX_BATCH = 1000;

export async function run(invocation: Invocation): Promise<void> {
  const { values, terminal } = invocation;
  const batch = values.text('batch');
  if (batch !== undefined) return triggerBatch(batch, invocation);
  const channels = values.texts('channel');
  if (channels.length === 0) throw usageError('--channel is missing');
  if (values.has('data') && values.has('message'))
    throw usageError('--data and --message exclude each other');
  const name = values.has('message') ? 'message' : 'data';
  const body = {
    name: values.required('event'),
    channels,
    data: await dataText(values.required(name), `--${name}`, invocation),
    ...eventMembers(invocation, values.text('socket-id')),
    idempotency_key: idempotencyKey(invocation),
  };
  const api = await signedApi(invocation);
  const answer = await api.request<object>({ method: 'POST', path: '/events', body, idempotent: true });
  showPublished(terminal, answer, channels);
}

/** Publishes in order, a request after another, and stops at the first failure. */
async function triggerBatch(file: string, invocation: Invocation): Promise<void> {
  const { values, terminal, signal } = invocation;
  const size = values.integer('batch-size', { min: 1, max: MAX_BATCH }) ?? DEFAULT_BATCH;
  const api = await signedApi(invocation);
  const counts = { published: 0, requests: 0 };
  const key = randomUUID();
  try {
    let waiting: BatchItem[] = [];
    const send = async (): Promise<void> => {
      if (waiting.length === 0) return;
      signal.throwIfAborted();
      await sendBatch(api, waiting, key);
      counts.published += waiting.length;
      counts.requests += 1;
      waiting = [];
    };
    for await (const item of batchItems(file, invocation)) {
      waiting.push(item);
      if (waiting.length === size) await send();
    }
    await send();
  } catch (error) {
    const known = commandErrorOf(signal.aborted ? signal.reason : error);
    terminal.note(`published ${counts.published} events in ${counts.requests} requests`);
    throw known;
  }
  terminal.result(counts, () =>
    terminal.line(`published ${counts.published} events in ${counts.requests} requests`),
  );
}

async function sendBatch(api: SignedApi, items: readonly BatchItem[], key: string): Promise<void> {
  const batch = items.map(({ event, line }) => ({
    ...event,
    idempotency_key: event['idempotency_key'] ?? `${key}:${line}`,
  }));
  try {
    await api.request({ method: 'POST', path: '/batch_events', body: { batch }, idempotent: true });
  } catch (error) {
    const known = commandErrorOf(error);
    const index = Number(/batch\[(\d+)\]/.exec(known.message)?.[1] ?? 0);
    const { code, exitCode, status, cure } = known;
    throw new CommandError(`line ${items[index]?.line ?? 0}: ${known.message}`, {
      code,
      exitCode,
      status,
      ...(cure === null ? {} : { cure }),
      cause: known,
    });
  }
}
