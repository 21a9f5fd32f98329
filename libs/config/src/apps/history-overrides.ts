import type { Table } from './extra.js';

/** Overrides of the global `[history]`; a namespace may override these again, all but `enabled`. */
export interface HistoryOverride extends NamespaceHistory {
  readonly enabled: boolean | null;
}

/** The part of history that a namespace may override. */
export interface NamespaceHistory extends Table {
  readonly rewind_enabled: boolean | null;
  readonly retention_window_seconds: number | null;
  readonly max_messages_per_channel: number | null;
  readonly max_bytes_per_channel: number | null;
}

/** Overrides of the global `[presence_history]`, by an app or a namespace. */
export interface PresenceHistoryOverride extends Table {
  readonly enabled: boolean | null;
  readonly retention_window_seconds: number | null;
  readonly max_events_per_channel: number | null;
  readonly max_bytes_per_channel: number | null;
}
