/** Parameters of a history request. Null: not given. */
export interface HistoryWish {
  /** At least 1. */
  readonly limit: number;
  readonly direction: 'newest_first' | 'oldest_first';
  readonly cursor: string | null;
  readonly startSerial: number | null;
  readonly endSerial: number | null;
  readonly startTimeMs: number | null;
  readonly endTimeMs: number | null;
  readonly untilAttach: boolean;
}
