import type { RecordStore } from '@carillon/records';
import { StoreFailure } from '../failures.js';
import type { Watermark } from '../port.js';
import { Draft } from './draft.js';
import { encodeSide, nextVersion, sideFor } from './head.js';
import { SIDE } from './keys.js';
import type { StreamReader } from './reader.js';

const LANES = 'lanes';
const META = 'meta';
const AGREED = 'writer_shards';

/** Streams whose watermarks are raised at one time. */
const AT_ONCE = 16;
/** A watermark that other writers overtook so often is left to the next call. */
const MAX_ROUNDS = 5;
/** Writers agree once, at their start. */
const MAX_AGREEMENTS = 50;

/** Watermarks of streams, and the heartbeats of writers per lane. */
export class Lanes {
  constructor(
    private readonly records: RecordStore,
    private readonly reader: StreamReader,
  ) {}

  async raise(
    marks: readonly Watermark[],
    seen: { readonly lanes: readonly number[]; readonly writerId: string; readonly nowMs: number },
  ): Promise<void> {
    await this.records.put(
      seen.lanes.map((lane) => ({
        partition: LANES,
        sort: String(lane),
        version: 1,
        value: JSON.stringify([seen.nowMs, seen.writerId]),
        expiresAtMs: null,
      })),
    );
    for (let from = 0; from < marks.length; from += AT_ONCE)
      await Promise.all(marks.slice(from, from + AT_ONCE).map((mark) => this.#raise(mark)));
  }

  async seenAtMs(lane: number): Promise<number | null> {
    const [row] = await this.records.get([{ partition: LANES, sort: String(lane) }]);
    if (row === undefined) return null;
    const [seenAtMs] = JSON.parse(row.value) as [number, string];
    return seenAtMs;
  }

  async agreed(): Promise<number | null> {
    const [row] = await this.records.get([{ partition: META, sort: AGREED }]);
    return row === undefined ? null : Number(row.value);
  }

  async agree(lanes: number, replace: boolean): Promise<number> {
    for (let round = 0; round < MAX_AGREEMENTS; round += 1) {
      const [row] = await this.records.get([{ partition: META, sort: AGREED }]);
      if (row !== undefined && (!replace || Number(row.value) === lanes)) return Number(row.value);
      const next = {
        sort: AGREED,
        version: (row?.version ?? 0) + 1,
        value: String(lanes),
        expiresAtMs: null,
      };
      const conditions = [{ sort: AGREED, version: row?.version ?? null }];
      if (await this.records.commit({ partition: META, conditions, puts: [next], deletes: [] })) return lanes;
    }
    throw new StoreFailure('conflict', 'other writers change the number of lanes all the time');
  }

  async #raise({ streamKey, generation, serial }: Watermark): Promise<void> {
    for (let round = 0; round < MAX_ROUNDS; round += 1) {
      const { head, side: row } = await this.reader.streamRows(streamKey);
      if (head?.stream.generation !== generation) return;
      const side = sideFor(row, head.stream);
      if (Math.max(head.stream.fannedOutSerial, side.fannedOut) >= serial) return;
      const draft = new Draft(streamKey, this.records.limits.valueBytes);
      draft.put(SIDE, encodeSide({ ...side, fannedOut: serial }), { version: nextVersion(row.version) });
      draft.require(SIDE, row.version === 0 ? null : row.version);
      if (await this.records.commit(draft.commit)) return;
    }
  }
}
