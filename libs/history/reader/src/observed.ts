import type { Stream, StreamState } from '@carillon/history-store';
import type { FoundHint, HintSource } from './hints/state-hints.js';

/** The state of a stream as it is shown, and where that was learned. */
export interface Observed {
  readonly state: StreamState;
  readonly source: HintSource | StateSource;
}

const NEVER_CHANGED: StreamState = { state: 'healthy', reason: null, nodeId: null, changedAtMs: null };

/** The newest transition of what the store says and what it could not be told yet; of two at once that of the store. */
export function observed(stream: Stream | null, found: FoundHint | null, authority: StateSource): Observed {
  const stored = stream?.durable ?? NEVER_CHANGED;
  return found !== null && found.hint.changedAtMs > (stored.changedAtMs ?? -1)
    ? { state: found.hint, source: found.source }
    : { state: stored, source: authority };
}

/** Where the truth about a stream is. */
export type StateSource = 'durable_store' | 'in_memory';
