import { isOverCaps } from '../removal.js';
import { dueHint, dueMoment, UNUSED_MS } from '../hints.js';
import { type PurgeRequest, sumEvicted } from '../../retention.js';
import { eraseBelowFloor, removeEarlier, removeUnused } from './erase.js';
import { closeOver } from './close-over.js';
import { type Swept, sweepExpired } from './expire.js';
import { commitSide, draftOf, type PurgeDone, type PurgeParts, type PurgeScope, scopeOf } from './scope.js';
import { trimCapped } from './trim.js';

/** Result of a visit of one stream. */
export interface Visited extends PurgeDone {
  /** False: the budget ended first, and the stream needs another visit. */
  readonly isDone: boolean;
}

/** Commits in one visit: more are left to the next step. */
const MAX_COMMITS = 50;

/** Removes rows of a stream that are over its caps, up to about the batch of the request. */
export async function visitCapped(
  parts: PurgeParts,
  request: PurgeRequest,
  streamKey: string,
): Promise<Visited & { readonly isOver: boolean }> {
  const sum = new Sum();
  for (let commits = 0; commits < MAX_COMMITS && sum.removed < request.batch; commits += 1) {
    const scope = await scopeOf(parts, request, streamKey);
    const done = scope === null ? null : await trimCapped(scope);
    if (done === null) return { ...sum.done(true), isOver: scope !== null && isOverCaps(scope.stream) };
    sum.add(done);
  }
  return { ...sum.done(false), isOver: true };
}

/** Removes everything of a stream that is to go by now, and registers when it has to be visited again. */
export async function visitDue(
  parts: PurgeParts,
  request: PurgeRequest,
  streamKey: string,
): Promise<Visited> {
  const sum = new Sum();
  for (let commits = 0; commits < MAX_COMMITS && sum.removed < request.batch; commits += 1) {
    const scope = await scopeOf(parts, request, streamKey);
    if (scope === null) return sum.done(true);
    const done = (await removeEarlier(scope)) ?? (await eraseBelowFloor(scope)) ?? (await trimCapped(scope));
    if (done !== null) {
      sum.add(done);
      continue;
    }
    const closed = await closeOver(scope);
    const swept = 'done' in closed ? closed : await sweepExpired(scope);
    if ('done' in swept) sum.add(swept.done);
    else if ((await removeUnused(scope, UNUSED_MS)) || (await registerNext(scope, earliest(swept, closed))))
      return sum.done(true);
  }
  return sum.done(false);
}

const earliest = (...all: readonly Swept[]): number | null => {
  const moments = all.flatMap((one) => ('done' in one ? [] : (one.nextMs ?? [])));
  return moments.length === 0 ? null : Math.min(...moments);
};

/** False: the side row was changed concurrently, and the stream needs another visit. */
async function registerNext(scope: PurgeScope, nextMs: number | null): Promise<boolean> {
  const { records, request, stream } = scope;
  const { streamKey, updatedAtMs } = stream;
  const idleMs = Math.max(updatedAtMs + UNUSED_MS, request.nowMs + UNUSED_MS / 30);
  const dueMs = dueMoment(nextMs ?? idleMs, request.nowMs);
  const { expiresInMs: _never, ...hint } = dueHint(streamKey, dueMs);
  await records.put([{ ...hint, version: 1, expiresAtMs: null }]);
  return commitSide(scope, draftOf(scope), { dueMs });
}

/** Adds the results of several commits. */
class Sum {
  #evicted: PurgeDone['evicted'] = [];
  removed = 0;

  add({ removed, evicted }: PurgeDone): void {
    this.removed += removed;
    this.#evicted = sumEvicted([...this.#evicted, ...evicted]);
  }

  done(isDone: boolean): Visited {
    return { removed: this.removed, evicted: this.#evicted, isDone };
  }
}
