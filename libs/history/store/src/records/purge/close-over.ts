import { KIND, lastPart, rangeOf, sortOf } from '../keys.js';
import { decodeMessage, encodeMessage } from '../message-rows.js';
import type { Swept } from './expire.js';
import { commitSide, draftOf, type PurgeScope, RECORDS_AT_ONCE, REMOVED_NOTHING } from './scope.js';

/**
 * Closes open messages that have expired, for example after writers were unavailable for longer than the retention:
 * they can no longer be ended, so they no longer count as open.
 */
export async function closeOver(scope: PurgeScope): Promise<Swept> {
  const { reader, request, stream, side } = scope;
  const { streamKey, generation, floorMessageSerial } = stream;
  if (stream.openStreams === 0) return { nextMs: null };
  const open = await reader.range(streamKey, rangeOf(generation, KIND.open), { limit: Infinity });
  const sorts = open.map(({ sort }) => sortOf(generation, KIND.message, lastPart(sort)));
  const rows = [...(await reader.get(streamKey, sorts)).values()].map((row) =>
    decodeMessage(stream, lastPart(row.sort), row),
  );
  const over = rows.filter(({ state }) => state.keepUntilMs <= request.nowMs).slice(0, RECORDS_AT_ONCE);
  if (over.length === 0) return { nextMs: rows.length === 0 ? null : Math.min(...rows.map(keptUntil)) };
  const draft = draftOf(scope);
  for (const { version, state, ...data } of over) {
    const sort = sortOf(generation, KIND.message, state.messageSerial);
    draft.put(sort, encodeMessage({ ...data, state: { ...state, isOpen: false } }), { version: version + 1 });
    draft.require(sort, version);
    draft.delete(sortOf(generation, KIND.open, state.messageSerial));
  }
  const counted = over.filter(({ state }) => state.historySerial >= floorMessageSerial).length;
  const isDone = await commitSide(scope, draft, { overStreams: side.overStreams + counted });
  return { done: isDone ? { removed: over.length, evicted: [] } : REMOVED_NOTHING };
}

const keptUntil = ({ state }: { readonly state: { readonly keepUntilMs: number } }): number =>
  state.keepUntilMs;
