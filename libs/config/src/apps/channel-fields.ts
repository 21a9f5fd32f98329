import {
  DELTA_ALGORITHMS,
  DELTA_MODES,
  type ChannelNamespace,
  type ChannelPolicy,
  type DeltaCompression,
  type DeltaSettings,
} from './channel-policy.js';
import {
  boolean,
  checked,
  filledText,
  optional,
  positiveU32,
  text,
  withDefault,
  word,
  type Field,
} from './field.js';
import { originPatternProblem } from './origin-pattern.js';
import { namespaceHistory, presenceHistory } from './override-fields.js';
import { compilingPattern } from './pattern-field.js';
import { at, list, mapOf, table, type Fields } from './table.js';

const originPattern = checked(text, (value, path, report) => {
  const problem = originPatternProblem(value);
  if (problem !== null) report.problem(path, problem);
});

const deltaMode = word(DELTA_MODES);

const deltaSettings = table<DeltaSettings>({
  enabled: withDefault(boolean, true),
  algorithm: optional(word(DELTA_ALGORITHMS)),
  conflation_key: optional(filledText),
  max_messages_per_key: withDefault(positiveU32, 10),
  max_conflation_keys: withDefault(positiveU32, 100),
  enable_tags: withDefault(boolean, true),
});

const deltaCompression: Field<DeltaCompression> = {
  read: (raw, path, report) =>
    typeof raw === 'string' ? deltaMode.read(raw, path, report) : deltaSettings.read(raw, path, report),
  write: (value) => (typeof value === 'string' ? value : deltaSettings.write(value)),
};

const deltaCompressionByChannel = checked(mapOf(deltaCompression), (value, path, report) => {
  for (const name of value.keys()) {
    if (name === '') report.problem(path, 'pattern must not be empty');
    if (name.split('*').length > 2) report.problem(at(path, name), 'pattern may contain at most one "*"');
  }
});

const namespaceName = checked(filledText, (value, path, report) => {
  if (value.includes(':')) report.problem(path, 'must not contain ":"');
});

const channelNamespace = table<ChannelNamespace>({
  name: namespaceName,
  channel_name_pattern: optional(compilingPattern),
  max_channel_name_length: optional(positiveU32),
  annotations_enabled: optional(boolean),
  allow_user_limited_channels: withDefault(boolean, false),
  allow_subscribe_for_client: withDefault(boolean, true),
  allow_publish_for_client: withDefault(boolean, true),
  allow_presence_for_client: withDefault(boolean, true),
  history: optional(namespaceHistory),
  presence_history: optional(presenceHistory),
});

const channelNamespaces = checked(list(channelNamespace), (value, path, report) => {
  const seen = new Set<string>();
  for (const [place, { name }] of value.entries()) {
    if (seen.has(name)) report.problem(`${path}[${place}].name`, `duplicate namespace name "${name}"`);
    seen.add(name);
  }
});

export const channelFields: Fields<ChannelPolicy> = {
  allowed_origins: optional(list(originPattern)),
  annotations_enabled: optional(boolean),
  channel_delta_compression: withDefault(deltaCompressionByChannel, new Map()),
  channel_namespaces: withDefault(channelNamespaces, Object.freeze([])),
};
