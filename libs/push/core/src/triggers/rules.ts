import type { Config } from '@carillon/config';
import { isObject, type JsonObject } from '@carillon/push-providers';

export type PushRule = Config['push_rules'][number];

/** Whether a rule is for this event of this channel. */
export function ruleMatches(
  { enabled, channel_pattern: pattern, event_filter: events }: PushRule,
  channel: string,
  event: string,
): boolean {
  if (!enabled) return false;
  const isChannel = pattern.endsWith('*') ? channel.startsWith(pattern.slice(0, -1)) : channel === pattern;
  return isChannel && (events.length === 0 || events.includes(event));
}

/** Returns the push payload of an event by a rule; null if the event lacks a required member. */
export function payloadOfEvent({ payload_mapping: mapping }: PushRule, data: unknown): JsonObject | null {
  const object = typeof data === 'string' ? parsed(data) : data;
  if (!isObject(object)) return null;
  const { title_field: titleField, body_field: bodyField, template_data_field: field } = mapping;
  const { [titleField]: title, [bodyField]: body, ...rest } = object;
  if (typeof title !== 'string' || typeof body !== 'string') return null;
  return { title, body, templateData: mapping.include_remaining_fields ? { [field]: rest } : {} };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
