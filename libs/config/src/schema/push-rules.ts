import { bool, bound, rows, string, table, list, u64, type Bound } from '../kernel/index.js';

const bytes = (text: string): number => Buffer.byteLength(text);

const pattern: Bound<string> = bound('1–256 bytes: exact, `*`, or one trailing `*`', (value) => {
  if (value === '') return 'must not be empty';
  if (bytes(value) > 256) return 'must be at most 256 bytes';
  return value.slice(0, -1).includes('*') ? 'must be an exact name, "*" or end with one "*"' : null;
});

const events: Bound<readonly string[]> = bound('empty = all; else 1–32 names of 1–200 bytes', (names) => {
  if (names.length > 32) return 'must have at most 32 names';
  const sized = names.every((name) => bytes(name) >= 1 && bytes(name) <= 200);
  return sized ? null : 'names must be between 1 and 200 bytes';
});

const field = (initial: string, meaning: string) => string({ default: initial, notEmpty: true, meaning });

export const pushRules = rows({
  row: table({
    enabled: bool({ default: true, meaning: 'Whether the rule acts; it is checked either way' }),
    channel_pattern: string({ default: '', bounds: [pattern], meaning: 'Channels of the rule' }),
    event_filter: list({ default: [], bounds: [events], meaning: 'Events of the rule' }),
    rate_limit_per_second: u64({
      default: 100,
      min: 1,
      meaning: 'Publishes the rule makes per app and second',
    }),
    payload_mapping: table({
      title_field: field('title', 'Field of the data that becomes the title'),
      body_field: field('body', 'Field of the data that becomes the body'),
      template_data_field: field('data', 'Field of the template data that receives the rest'),
      include_remaining_fields: bool({ default: true, meaning: 'Pass the rest on' }),
    }),
  }),
  meaning: 'Channel publishes that also become push publishes',
});
