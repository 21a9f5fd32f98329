import { parseAppRecord, type AppRecord } from '@carillon/config';
import type { AppRegistryOptions, GlobalLimits } from '../src/index.js';

/** A valid record; `more` is in the stored form. */
export function record(id: string, more: object = {}): AppRecord {
  const parsed = parseAppRecord({ id, key: `${id}-key`, secret: `${id}-secret`, ...more }, '');
  if (parsed.record === null) throw new Error(JSON.stringify(parsed.problems));
  return parsed.record;
}

/** Defaults of the configuration. */
export const GLOBALS: GlobalLimits = {
  channel_limits: { max_name_length: 200 },
  event_limits: {
    max_name_length: 200,
    max_channels_at_once: null,
    max_payload_in_kb: null,
    max_batch_size: null,
  },
  presence: { max_members_per_channel: null, max_member_size_in_kb: null },
};

/** Defaults of the configuration without polling. */
export const OPTIONS: AppRegistryOptions = {
  inlineApps: [],
  registerInlineApps: true,
  cache: { enabled: true, ttl: 300, negative_ttl: 5, refresh_interval: 0, stale_if_error: 3600 },
  globals: GLOBALS,
};
