import type { LinearPattern } from './linear-pattern.js';
import type { NamespaceHistory, PresenceHistoryOverride } from './history-overrides.js';
import type { Table } from './extra.js';

/** Rules for the channels of one app. */
export interface ChannelPolicy extends Table {
  /** Origin patterns; null or empty admits every origin, also none. */
  readonly allowed_origins: readonly string[] | null;
  /** True also turns history on for the channel. Null counts as false. */
  readonly annotations_enabled: boolean | null;
  /** By channel name or pattern with one `*`. A map, because channel names come from clients. */
  readonly channel_delta_compression: ReadonlyMap<string, DeltaCompression>;
  /** Names are unique within the app. */
  readonly channel_namespaces: readonly ChannelNamespace[];
}

/** `inherit` takes the global settings, an algorithm's name turns it on with that algorithm. */
export type DeltaCompression = DeltaMode | DeltaSettings;

/** The short forms of a delta compression entry. */
export const DELTA_MODES = ['inherit', 'disabled', 'fossil', 'xdelta3'] as const;
export type DeltaMode = (typeof DELTA_MODES)[number];

/** Delta encodings the service speaks. */
export const DELTA_ALGORITHMS = ['fossil', 'xdelta3'] as const;
export type DeltaAlgorithm = (typeof DELTA_ALGORITHMS)[number];

/** The long form of a delta compression entry. */
export interface DeltaSettings extends Table {
  readonly enabled: boolean;
  /** Null takes the global algorithm. */
  readonly algorithm: DeltaAlgorithm | null;
  /** Dot-separated path into the frame; null means no conflation. */
  readonly conflation_key: string | null;
  readonly max_messages_per_key: number;
  readonly max_conflation_keys: number;
  readonly enable_tags: boolean;
}

/** The policy of channels whose logical name starts with `name:`. */
export interface ChannelNamespace extends Table {
  /** Not empty, without `:`. */
  readonly name: string;
  /** Tested unanchored against the logical name, `name:` included, without a `#…` suffix. Always compiles. */
  readonly channel_name_pattern: LinearPattern | null;
  /** Bytes of the whole name; null leaves it to the app. */
  readonly max_channel_name_length: number | null;
  /** Null leaves it to the app. */
  readonly annotations_enabled: boolean | null;
  readonly allow_user_limited_channels: boolean;
  readonly allow_subscribe_for_client: boolean;
  readonly allow_publish_for_client: boolean;
  readonly allow_presence_for_client: boolean;
  readonly history: NamespaceHistory | null;
  readonly presence_history: PresenceHistoryOverride | null;
}
