import type { Call } from '../http/call.js';
import { Cursors, pageBody, type PageQuery } from '../http/paging.js';
import { ok, type Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { type NamedQueue, namedQueues, queueErrors } from './queues.js';

/** Depths of the queues, ordered by name; null is unknown to the driver. */
export async function listQueues({ query }: Call<PageQuery>, parts: ManagementParts): Promise<Reply> {
  const cursors = new Cursors('queues', {});
  const after = cursors.readText(query.cursor) ?? '';
  const left = [...namedQueues(parts)]
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .filter(({ name }) => name > after);
  const page = left.slice(0, query.limit);
  const items = await Promise.all(page.map(itemOf));
  return ok(pageBody(items, left.length > page.length ? (page.at(-1)?.name ?? null) : null, cursors));
}

async function itemOf({ name, queue }: NamedQueue) {
  const stats = await queueErrors(queue.stats(name));
  return {
    queue: name,
    driver: queue.driver,
    ready: stats.ready,
    active: stats.active,
    delayed: stats.delayed,
    dead: stats.deadLetter,
    oldest_ready_age_ms: stats.oldestReadyAgeMs,
    capabilities: queue.capabilities,
  };
}
