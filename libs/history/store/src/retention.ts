import type { StreamKind } from './model/stream.js';

/** How much one step of a purge may take, and from when. */
export interface PurgeRequest {
  readonly nowMs: number;
  /** Rows removed at once, or streams looked through at once. */
  readonly batch: number;
  /** For so long a receipt answers: neither it nor the row it speaks of is removed before. */
  readonly receiptsKeptMs: number;
  /** The longest time that anything is kept for by the configuration; what holds it is made in time. */
  readonly windowMs: number;
  /** Only what is over the caps of its channel, as it is asked for between whole purges. Absent: everything. */
  readonly onlyCapped?: true;
}

/** What an app lost by a purge: rows that were part of a history until then. */
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

/** What is kept of an app, and how many of its streams are not healthy. */
export interface AppSurvey {
  readonly appId: string;
  readonly kind: StreamKind;
  readonly records: number;
  readonly bytes: number;
  readonly degraded: number;
  readonly resetRequired: number;
}

/** Removes what retention lets go of. Nothing of it can be read before it is removed. */
export interface HistoryRetention {
  /** One step, all or nothing; null: another process is at it. Rejects with `StoreFailure`. */
  purge(request: PurgeRequest): Promise<PurgeStep | null>;

  /** Counts what there is, as the last whole round of steps has seen it. */
  survey(): Promise<readonly AppSurvey[]>;
}

/** Adds up what was evicted by app and kind. */
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
