import { randomUUID } from 'node:crypto';
import type { RecordStore } from '@carillon/records';

const META = 'meta';
const SORT = 'purge';
/** A process that dies in a purge holds up the others for so long. */
const LEASE_MS = 30_000;
/** A lease is renewed when less than this is left of it. */
const RENEWED_MS = 15_000;

/** Lets one process at a time purge. Two would do no harm: it saves work. */
export class PurgeLease {
  readonly #owner = randomUUID();
  #untilMs = 0;

  constructor(private readonly records: RecordStore) {}

  /** False: another process has it. */
  async take(): Promise<boolean> {
    const nowMs = Date.now();
    if (this.#untilMs - nowMs > RENEWED_MS) return true;
    const [row] = await this.records.get([{ partition: META, sort: SORT }]);
    const [owner, untilMs] = row === undefined ? ['', 0] : (JSON.parse(row.value) as [string, number]);
    if (owner !== this.#owner && untilMs > nowMs) return false;
    return this.#write(row?.version ?? null, nowMs + LEASE_MS);
  }

  /** Lets other processes purge without waiting for the end of the lease. */
  async release(): Promise<void> {
    if (this.#untilMs === 0) return;
    const [row] = await this.records.get([{ partition: META, sort: SORT }]);
    const [owner] = row === undefined ? [''] : (JSON.parse(row.value) as [string, number]);
    if (owner === this.#owner) await this.#write(row?.version ?? null, 0);
    this.#untilMs = 0;
  }

  async #write(version: number | null, untilMs: number): Promise<boolean> {
    const value = JSON.stringify([this.#owner, untilMs]);
    const put = { sort: SORT, version: (version ?? 0) + 1, value, expiresAtMs: null };
    const isTaken = await this.records.commit({
      partition: META,
      conditions: [{ sort: SORT, version }],
      puts: [put],
      deletes: [],
    });
    if (isTaken) this.#untilMs = untilMs;
    return isTaken;
  }
}
