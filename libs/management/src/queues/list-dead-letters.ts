import { ServiceError } from '@carillon/errors';
import type { Call } from '../http/call.js';
import { Cursors, pageBody, type PageQuery } from '../http/paging.js';
import { ok, type Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { deadLetterItem, type DeadLetterFilter, deadLettersOf, type ReadDeadLetter } from './dead-letters.js';
import { type NamedQueue, queueOf } from './queues.js';

const MAX_PAYLOAD = 262_144;

/** `[failed at, id]` of the last dead letter of a page. */
type Position = readonly [number, string];

const positionOf = ({ letter }: ReadDeadLetter): Position => [letter.failedAtMs, letter.id];
const isAfter = ([at, id]: Position, [otherAt, otherId]: Position): boolean =>
  at > otherAt || (at === otherAt && id > otherId);

export async function listDeadLetters(
  { query, params, principal }: Call<DeadLetterFilter & PageQuery>,
  parts: ManagementParts,
): Promise<Reply> {
  const queue = queueOf(params['queue'] ?? '', parts);
  const cursors = new Cursors(`dead-letters ${queue.name}`, { ...query });
  const after = cursors.read(query.cursor) as Position | null;
  const found = await deadLettersOf(queue, query, principal);
  const left = found
    .toSorted((one, other) => (isAfter(positionOf(one), positionOf(other)) ? 1 : -1))
    .filter((one) => after === null || isAfter(positionOf(one), after));
  const page = left.slice(0, query.limit);
  const items = await Promise.all(page.map((one) => deadLetterItem(queue.name, one, parts)));
  const last = page.at(-1);
  const hasMore = left.length > page.length && last !== undefined;
  return ok(pageBody(items, hasMore ? positionOf(last) : null, cursors));
}

/** One dead letter; its payload only on demand, which is audited. */
export async function showDeadLetter(
  call: Call<{ readonly payload?: boolean }>,
  parts: ManagementParts,
): Promise<Reply> {
  const queue = queueOf(call.params['queue'] ?? '', parts);
  const found = await findDeadLetter(queue, call);
  call.audit.appId = found.appId;
  const item = await deadLetterItem(queue.name, found, parts);
  if (call.query.payload !== true) return ok(item);
  const payload = found.letter.data;
  const isLong = payload !== null && payload.length > MAX_PAYLOAD;
  return ok({
    ...item,
    payload: isLong ? payload.slice(0, MAX_PAYLOAD).toWellFormed() : payload,
    ...(isLong ? { payload_truncated: true } : {}),
  });
}

/** @throws ServiceError `not_found` also for dead letters of other apps */
export async function findDeadLetter(
  queue: NamedQueue,
  { params, principal }: Pick<Call, 'params' | 'principal'>,
): Promise<ReadDeadLetter> {
  const letters = await deadLettersOf(queue, {}, principal);
  const found = letters.find(({ letter }) => letter.id === params['id']);
  if (found === undefined) throw new ServiceError('not_found', { text: 'the dead letter does not exist' });
  return found;
}
