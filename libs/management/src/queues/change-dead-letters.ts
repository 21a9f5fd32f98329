import type { Cache } from '@carillon/cache';
import { ServiceError } from '@carillon/errors';
import type { Call } from '../http/call.js';
import { conflict, invalidField } from '../http/fields.js';
import { NO_CONTENT, ok, type Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { type DeadLetterFilter, deadLettersOf, type ReadDeadLetter, restartedData } from './dead-letters.js';
import { findDeadLetter } from './list-dead-letters.js';
import { type NamedQueue, queueErrors, queueOf } from './queues.js';

const CLAIM_MS = 60_000;
const MAX_BULK = 10_000;

export interface BulkBody {
  readonly filter: DeadLetterFilter;
  readonly confirm_queue: string;
  readonly confirm_count: number;
}

export async function replayDeadLetter(call: Call, parts: ManagementParts): Promise<Reply> {
  const queue = queueOf(call.params['queue'] ?? '', parts);
  const found = await findDeadLetter(queue, call);
  call.audit.appId = found.appId;
  if (!(await replayed(queue, found, parts.cache)))
    throw new ServiceError('not_found', { text: 'the dead letter does not exist' });
  return { status: 202, body: { id: found.letter.id, replayed: true } };
}

export async function deleteDeadLetter(call: Call, parts: ManagementParts): Promise<Reply> {
  const queue = queueOf(call.params['queue'] ?? '', parts);
  const found = await findDeadLetter(queue, call);
  call.audit.appId = found.appId;
  const removed = await queueErrors(queue.queue.removeDeadLetters(queue.name, [found.letter.id]));
  if (removed === 0) throw new ServiceError('not_found', { text: 'the dead letter does not exist' });
  return NO_CONTENT;
}

export async function replayDeadLetters(
  call: Call<unknown, BulkBody>,
  parts: ManagementParts,
): Promise<Reply> {
  const { queue, letters } = await confirmed(call, parts);
  let affected = 0;
  for (const letter of letters) if (await replayed(queue, letter, parts.cache)) affected += 1;
  call.audit.after = { affected };
  return ok({ ok: true, affected });
}

export async function deleteDeadLetters(
  call: Call<unknown, BulkBody>,
  parts: ManagementParts,
): Promise<Reply> {
  const { queue, letters } = await confirmed(call, parts);
  const ids = letters.map(({ letter }) => letter.id);
  const affected = ids.length === 0 ? 0 : await queueErrors(queue.queue.removeDeadLetters(queue.name, ids));
  call.audit.after = { affected };
  return ok({ ok: true, affected });
}

/** @throws ServiceError `invalid_input`, `conflict` */
async function confirmed(
  { body, params, principal, audit }: Call<unknown, BulkBody>,
  parts: ManagementParts,
): Promise<{ readonly queue: NamedQueue; readonly letters: readonly ReadDeadLetter[] }> {
  const queue = queueOf(params['queue'] ?? '', parts);
  const { filter, confirm_queue, confirm_count } = body;
  audit.appId = filter.app_id ?? null;
  audit.target = queue.name;
  if (confirm_queue !== queue.name) throw invalidField('confirm_queue', 'must be the name of the queue');
  if (principal.apps !== null && filter.app_id === undefined)
    throw invalidField('filter.app_id', 'is required for a token that is restricted to apps');
  const letters = await deadLettersOf(queue, filter, principal);
  if (letters.length !== confirm_count || letters.length > MAX_BULK)
    throw conflict('confirm_count is not the number of matching dead letters', { matching: letters.length });
  return { queue, letters };
}

/**
 * Enqueues the job anew, then removes the dead letter: a process that dies between leaves both, and no job is lost. The
 * claim keeps two requests from replaying one dead letter. False: another request did.
 */
async function replayed({ name, queue }: NamedQueue, found: ReadDeadLetter, cache: Cache): Promise<boolean> {
  const { id } = found.letter;
  const data = restartedData(found, Date.now());
  if (data === null) throw conflict('the job of the dead letter cannot be read');
  const claim = `management:replay:${name}:${id}`;
  const isClaimed = await cache.setIfAbsent(claim, '1', CLAIM_MS).catch((cause: unknown) => {
    throw new ServiceError('service_unavailable', { text: 'the cache is unavailable', cause });
  });
  if (!isClaimed) return false;
  try {
    const owner = found.appId === null ? {} : { partitionKey: found.appId };
    await queueErrors(queue.enqueue(name, data, owner));
    await queueErrors(queue.removeDeadLetters(name, [id]));
    return true;
  } catch (error) {
    await cache.remove(claim).catch(() => false);
    throw error;
  }
}
