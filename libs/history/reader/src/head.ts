import {
  type HistoryStore,
  type Retained,
  type Stream,
  type StreamAddress,
  streamName,
} from '@carillon/history-store';
import type { StateSource } from './observed.js';
import type { StateHints } from './hints/state-hints.js';
import { type Observed, observed } from './observed.js';

/** A stream and its visible part at a given time. */
export interface Head {
  readonly nowMs: number;
  /** Null: no stream exists. */
  readonly stream: Stream | null;
  readonly retained: Retained;
  readonly seen: Observed;
}

/** Sources of a head. */
export interface HeadParts {
  readonly store: Pick<HistoryStore, 'heads' | 'retained'>;
  readonly now: () => number;
  /** States not yet stored. Absent: only the store is read. */
  readonly hints?: Pick<StateHints, 'newest'>;
}

const NOTHING: Retained = { oldest: null, newest: null, messages: 0, bytes: 0 };

export async function headOf(
  { store, now, hints }: HeadParts,
  address: StreamAddress,
  source: StateSource,
): Promise<Head> {
  const nowMs = now();
  const [heads, hint] = await Promise.all([store.heads([address]), hints?.newest(address) ?? null]);
  const stream = heads.get(streamName(address)) ?? null;
  return {
    nowMs,
    stream,
    retained: stream === null ? NOTHING : await store.retained(stream, nowMs),
    seen: observed(stream, hint, source),
  };
}
