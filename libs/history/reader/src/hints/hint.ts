import type { CommitRecordOf } from '@carillon/contracts';
import type { StreamAddress, StreamState } from '@carillon/history-store';

export type Mark = CommitRecordOf<'mark'>;

/** State of a stream that is not stored yet. */
export type StateHint = StreamState & { readonly changedAtMs: number };

export const addressOf = ({ app_id: appId, channel, stream: kind }: Mark): StreamAddress => ({
  appId,
  channel,
  kind,
});

export const hintOf = ({ state, reason, node_id: nodeId }: Mark, changedAtMs: number): StateHint => ({
  state,
  reason,
  nodeId,
  changedAtMs,
});

/** Encodes a hint for the shared cache. */
export const hintText = ({ state, reason, nodeId, changedAtMs }: StateHint): string =>
  JSON.stringify({ state, reason, node_id: nodeId, last_transition_at_ms: changedAtMs });

const STATES: ReadonlySet<unknown> = new Set(['healthy', 'degraded', 'reset_required']);
const MAX_HINT_CHARACTERS = 8192;

/** Decodes a hint; null if invalid. */
export function readHint(text: string | null): StateHint | null {
  if (text === null || text.length > MAX_HINT_CHARACTERS) return null;
  try {
    const value: unknown = JSON.parse(text);
    return isHint(value)
      ? {
          state: value.state,
          reason: value.reason,
          nodeId: value.node_id,
          changedAtMs: value.last_transition_at_ms,
        }
      : null;
  } catch {
    return null;
  }
}

interface HintText extends Pick<StateHint, 'reason' | 'state'> {
  readonly node_id: string | null;
  readonly last_transition_at_ms: number;
}

function isHint(value: unknown): value is HintText {
  if (typeof value !== 'object' || value === null) return false;
  const { state, reason, node_id: nodeId, last_transition_at_ms: atMs } = value as Record<string, unknown>;
  return STATES.has(state) && isTextOrNull(reason) && isTextOrNull(nodeId) && Number.isSafeInteger(atMs);
}

const isTextOrNull = (value: unknown): boolean => value === null || typeof value === 'string';
