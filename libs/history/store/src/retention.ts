import type { StreamKind } from './model/stream.js';

/** Limits of one purge step, and its reference time. */
export interface PurgeRequest {
  readonly nowMs: number;
  /** Rows removed at once, or streams looked through at once. */
  readonly batch: number;
  /** For so long a receipt answers: neither it nor the row it speaks of is removed before. */
  readonly receiptsKeptMs: number;
  /** Longest configured retention; partitions are created ahead for it. */
  readonly windowMs: number;
  /** Removes only rows over the caps of their channel, as between complete purges. Absent: everything. */
  readonly onlyCapped?: true;
}

/** Rows of an app that a purge removed from histories. */
export interface Evicted {
  readonly appId: string;
  readonly kind: StreamKind;
  readonly records: number;
  readonly bytes: number;
}

export interface PurgeStep {
  readonly evicted: readonly Evicted[];
  /** Rows of every kind that were removed or erased. */
  readonly removed: number;
  /** Whether another step may find more. */
  readonly more: boolean;
}

/** Stored amounts of an app, and the number of its unhealthy streams. */
export interface AppSurvey {
  readonly appId: string;
  readonly kind: StreamKind;
  readonly records: number;
  readonly bytes: number;
  readonly degraded: number;
  readonly resetRequired: number;
}

/** Removes expired rows. They are unreadable before they are removed. */
export interface HistoryRetention {
  /** One step, all or nothing; null: another process is at it. Rejects with `StoreFailure`. */
  purge(request: PurgeRequest): Promise<PurgeStep | null>;

  /** Returns the counts of the last complete round of steps. */
  survey(): Promise<readonly AppSurvey[]>;
}

/** Sums the evicted rows by app and kind. */
export function sumEvicted(all: readonly Evicted[]): Evicted[] {
  const sums = new Map<string, Evicted>();
  for (const one of all) {
    const name = `${one.appId}\0${one.kind}`;
    const before = sums.get(name);
    sums.set(name, {
      ...one,
      records: one.records + (before?.records ?? 0),
      bytes: one.bytes + (before?.bytes ?? 0),
    });
  }
  return [...sums.values()];
}
