import type { Stream, StreamState } from '@carillon/history-store';
import type { FoundHint, HintSource } from './hints/state-hints.js';

/** The state of a stream as it is shown, and where that was learned. */
export interface Observed {
  readonly state: StreamState;
  readonly source: HintSource | StateSource;
}

const NEVER_CHANGED: StreamState = { state: 'healthy', reason: null, nodeId: null, changedAtMs: null };

/** Returns the newer of the stored state and a hint; on equal times the stored one. */
export function observed(stream: Stream | null, found: FoundHint | null, authority: StateSource): Observed {
  const stored = stream?.durable ?? NEVER_CHANGED;
  return found !== null && found.hint.changedAtMs > (stored.changedAtMs ?? -1)
    ? { state: found.hint, source: found.source }
    : { state: stored, source: authority };
}

/** Authoritative source of a stream's state. */
export type StateSource = 'durable_store' | 'in_memory';
