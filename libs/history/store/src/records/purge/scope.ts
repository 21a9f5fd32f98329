import type { RecordStore } from '@carillon/records';
import type { Stream } from '../../model/stream.js';
import type { Evicted, PurgeRequest } from '../../retention.js';
import { Draft } from '../draft.js';
import { encodeSide, type Head, nextVersion, type Side, sideFor } from '../head.js';
import { SIDE } from '../keys.js';
import { streamOf } from '../locate.js';
import type { StreamReader } from '../reader.js';

export interface PurgeParts {
  readonly reader: StreamReader;
  readonly records: RecordStore;
}

/** One look at a stream, by the rows that it had then. */
export interface PurgeScope extends PurgeParts {
  readonly request: PurgeRequest;
  readonly head: Head;
  readonly side: Side;
  readonly stream: Stream;
}

/** Result of one commit of a purge. */
export interface PurgeDone {
  readonly removed: number;
  readonly evicted: readonly Evicted[];
}

export const REMOVED_NOTHING: PurgeDone = { removed: 0, evicted: [] };

/** Records that one commit removes at most: each takes up to four rows. */
export const RECORDS_AT_ONCE = 20;

export async function scopeOf(
  parts: PurgeParts,
  request: PurgeRequest,
  streamKey: string,
): Promise<PurgeScope | null> {
  const { head, side } = await parts.reader.streamRows(streamKey);
  if (head === null) return null;
  return { ...parts, request, head, side: sideFor(side, head.stream), stream: streamOf({ head, side }) };
}

export const draftOf = ({ records, stream }: PurgeScope): Draft =>
  new Draft(stream.streamKey, records.limits.valueBytes);

/** Commits with a new side row; false: a watermark or an operator was first, and the purge looks again. */
export function commitSide(
  { records, side }: PurgeScope,
  draft: Draft,
  changed: Partial<Side>,
): Promise<boolean> {
  const { version } = side;
  draft.put(SIDE, encodeSide({ ...side, ...changed }), { version: nextVersion(version) });
  draft.require(SIDE, version === 0 ? null : version);
  return records.commit(draft.commit);
}
