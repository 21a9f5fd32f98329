import type { DeltaAlgorithm } from './algorithm.js';

/** Settings of an app for a channel or pattern, in the forms of `channel_delta_compression`. */
export type ChannelDeltaEntry =
  | 'inherit'
  | 'disabled'
  | DeltaAlgorithm
  | {
      readonly enabled: boolean;
      readonly algorithm: DeltaAlgorithm | null;
      readonly conflation_key: string | null;
      readonly max_messages_per_key: number;
      readonly max_conflation_keys: number;
      readonly enable_tags: boolean;
    };

/** Settings of an app by channel or pattern. */
export type ChannelDeltaEntries = ReadonlyMap<string, ChannelDeltaEntry>;

/** Delta settings of one channel. */
export interface ChannelDelta {
  readonly algorithm: DeltaAlgorithm;
  /** Null: the channel is one group. */
  readonly conflationPath: string | null;
  readonly maxMessagesPerKey: number;
  readonly maxGroups: number;
}

/** Settings of the node, used unless the app has its own. */
export interface DeltaDefaults {
  readonly enabled: boolean;
  readonly algorithm: DeltaAlgorithm;
  readonly conflationPath: string | null;
  readonly maxGroups: number;
}

const MESSAGES_PER_KEY = 10;

/** Returns the settings of a channel; null: no deltas. The exact name has priority over the longest pattern. */
export function channelDelta(
  channel: string,
  entries: ChannelDeltaEntries,
  defaults: DeltaDefaults,
): ChannelDelta | null {
  if (!defaults.enabled || channel.startsWith('private-encrypted-')) return null;
  const entry = entryOf(channel, entries) ?? 'inherit';
  if (entry === 'disabled') return null;
  const general: ChannelDelta = {
    algorithm: entry === 'fossil' || entry === 'xdelta3' ? entry : defaults.algorithm,
    conflationPath: defaults.conflationPath,
    maxMessagesPerKey: MESSAGES_PER_KEY,
    maxGroups: defaults.maxGroups,
  };
  if (typeof entry === 'string') return general;
  if (!entry.enabled) return null;
  return {
    algorithm: entry.algorithm ?? defaults.algorithm,
    conflationPath: entry.conflation_key ?? defaults.conflationPath,
    maxMessagesPerKey: entry.max_messages_per_key,
    maxGroups: Math.min(entry.max_conflation_keys, defaults.maxGroups),
  };
}

/** Whether subscribers of a channel receive tags, by the settings of the app. */
export function showsTags(channel: string, entries: ChannelDeltaEntries): boolean {
  if (entries.size === 0) return true;
  const entry = entryOf(channel, entries);
  return typeof entry !== 'object' || entry.enable_tags;
}

/** Undefined: the app has no settings for it. */
const entryOf = (channel: string, entries: ChannelDeltaEntries): ChannelDeltaEntry | undefined =>
  entries.get(channel) ?? longestMatch(channel, entries);

function longestMatch(channel: string, entries: ChannelDeltaEntries): ChannelDeltaEntry | undefined {
  let longest = '';
  for (const pattern of entries.keys()) {
    if (pattern.length > longest.length && matches(pattern, channel)) longest = pattern;
  }
  return entries.get(longest);
}

function matches(pattern: string, channel: string): boolean {
  const star = pattern.indexOf('*');
  if (star < 0) return false;
  const [before, after] = [pattern.slice(0, star), pattern.slice(star + 1)];
  return (
    channel.length >= before.length + after.length && channel.startsWith(before) && channel.endsWith(after)
  );
}
