import { isActive, isUnplanned, type Claim, type StoredPublish } from '../model/publishes.js';
import type { Row } from '@carillon/records';
import { RecordPublishes } from './effects.js';
import { readIndexed, type Verdict } from './indexed.js';
import { headKey } from './layout.js';
import { AGAIN, isWaiting } from './publish-index.js';
import { before, type FoundEntry, type TimeEntry, until } from './time-index.js';
import { type Head, headOf, idleSinceMs, minuteOf, publicClaim } from './values.js';

/** Abandoned publishes and deliveries. */
export class RecordForgotten extends RecordPublishes {
  async forgottenPublishes(
    planning: 'begun' | 'queued',
    beforeMs: number,
    nowMs: number,
    limit: number,
  ): Promise<StoredPublish[]> {
    return this.#oldest(beforeMs, nowMs, limit, (publish) => isUnplanned(publish, planning));
  }

  async stalePublishes(beforeMs: number, limit: number): Promise<StoredPublish[]> {
    return this.#oldest(beforeMs, beforeMs, limit, () => true);
  }

  async forgottenClaims(
    { untouchedMs, freeMs }: { readonly untouchedMs: number; readonly freeMs: number },
    limit: number,
  ): Promise<Claim[]> {
    const found: Claim[] = [];
    const scanned = new Map<string, number>();
    for await (const entries of this.parts.open.pages(before(Math.max(untouchedMs, freeMs)))) {
      for (const entry of entries) {
        const [appId = '', publishId = ''] = entry.id;
        const name = JSON.stringify(entry.id);
        let idleMs = scanned.get(name);
        if (idleMs === undefined) {
          idleMs = Infinity;
          for await (const page of this.claimPages(appId, publishId)) {
            for (const claim of page) {
              if (claim.state === 'done') continue;
              idleMs = Math.min(idleMs, idleSinceMs(claim));
              const isForgotten = claim.updatedMs < untouchedMs && (claim.leaseUntilMs ?? 0) < freeMs;
              if (isForgotten) found.push(publicClaim(claim));
            }
            if (found.length >= limit) return found.slice(0, limit);
          }
          scanned.set(name, idleMs);
        }
        await this.#moveOpen(entry, idleMs);
      }
    }
    return found;
  }

  /** To where the oldest open delivery is; without one, the entry goes. */
  async #moveOpen(entry: FoundEntry, idleMs: number): Promise<void> {
    const { open } = this.parts;
    if (idleMs === Infinity) {
      if (entry.isSettled) await open.remove([entry]);
      return;
    }
    const timeMs = minuteOf(idleMs);
    // A commit that the entry was written for may still bring an older one.
    if (timeMs <= entry.timeMs || !entry.isSettled) return;
    await open.put([{ timeMs, id: entry.id }]);
    await open.remove([entry]);
  }

  /** Publishes that are not over, do not wait for their time, and were last changed before, oldest first. */
  async #oldest(
    beforeMs: number,
    nowMs: number,
    limit: number,
    isWanted: (publish: StoredPublish) => boolean,
  ): Promise<StoredPublish[]> {
    await this.#release(nowMs);
    return readIndexed<StoredPublish>(this.parts.rows, this.parts.live, {
      span: before(beforeMs),
      limit,
      keyOf: headKeyOf,
      judge: (row, entry) => {
        const { value: head, ...place } = judgeLive(row, entry);
        if (head === undefined) return place;
        const { publish } = head;
        const isFound = publish.updatedMs < beforeMs && !isWaiting(head, nowMs) && isWanted(publish);
        return isFound ? { ...place, value: publish } : place;
      },
    });
  }

  /** Publishes whose time has come are no longer listed as waiting. */
  async #release(nowMs: number): Promise<void> {
    const { rows, live, waiting } = this.parts;
    for await (const entries of waiting.pages(until(nowMs))) {
      const found = await rows.all(entries.map(headKeyOf));
      const gone: FoundEntry[] = [];
      const begun: TimeEntry[] = [];
      for (const [index, entry] of entries.entries()) {
        const row = found[index] ?? null;
        const publish = row === null ? null : headOf(row.value).publish;
        if (publish !== null && isActive(publish)) begun.push({ timeMs: publish.updatedMs, id: entry.id });
        if (publish !== null || entry.isSettled) gone.push(entry);
      }
      await live.put(begun);
      await waiting.remove(gone);
    }
  }
}

export function headKeyOf({ id }: TimeEntry) {
  const [appId = '', publishId = ''] = id;
  return headKey(appId, publishId);
}

/** Meaning of an entry of a live publish: the publish if it is active, and the right time of the entry. */
function judgeLive(row: Row | null, { timeMs, id, note }: FoundEntry): Verdict<Head> {
  if (row === null) return { to: null };
  const head = headOf(row.value);
  // The entry of an admission was written before the publish existed; no commit follows it.
  if (!isActive(head.publish)) return { to: null, isCertain: note !== AGAIN };
  const { updatedMs } = head.publish;
  return updatedMs > timeMs ? { value: head, to: { timeMs: updatedMs, id } } : { value: head };
}
