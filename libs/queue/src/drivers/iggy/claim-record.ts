import { randomUUID } from 'node:crypto';

/** A won claim: the offset of the job, and the number of claims that won it so far. */
export type ClaimKey = readonly [offset: number, serial: number];

/** A record of the claims log. */
export interface ClaimRecord {
  readonly id: string;
  readonly worker: string;
  /** Duration of claims and renewals in this record. */
  readonly leaseMs: number;
  readonly claim: readonly number[];
  readonly renew: readonly ClaimKey[];
  readonly done: readonly ClaimKey[];
  readonly release: readonly (readonly [offset: number, serial: number, begun: boolean])[];
  /** Every job below it is settled. */
  readonly low: number;
}

const MARK = 'carillon-claims/1 ';

/** A record that changes only the given members. */
export const claimRecord = (
  worker: string,
  leaseMs: number,
  change: Partial<Pick<ClaimRecord, 'claim' | 'done' | 'low' | 'release' | 'renew'>>,
): ClaimRecord => ({
  id: randomUUID(),
  worker,
  leaseMs,
  claim: [],
  renew: [],
  done: [],
  release: [],
  low: 0,
  ...change,
});

export const encodeClaimRecord = (record: ClaimRecord): string => `${MARK}${JSON.stringify(record)}`;

/** Null: the text is no record of this version. */
export function decodeClaimRecord(text: string): ClaimRecord | null {
  if (!text.startsWith(MARK)) return null;
  try {
    const record = JSON.parse(text.slice(MARK.length)) as ClaimRecord;
    const { id, worker, leaseMs, claim, renew, done, release, low } = record;
    const areTexts = typeof id === 'string' && typeof worker === 'string';
    const areNumbers = [leaseMs, low, ...claim].every(isWhole);
    const areKeys = [...renew, ...done, ...release].every(
      ([offset, serial]) => isWhole(offset) && isWhole(serial),
    );
    return areTexts && areNumbers && areKeys ? record : null;
  } catch {
    return null;
  }
}

const isWhole = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
