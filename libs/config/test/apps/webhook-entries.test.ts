import { describe, expect, it } from 'vitest';
import { parseAppRecord } from '../../src/index.js';

const parse = (entry: object) =>
  parseAppRecord({ id: 'a', key: 'k', secret: 's', policy: { webhooks: [entry] } }, '');

const problems = (entry: object): string[] =>
  parse(entry).problems.map(({ path, message }) => `${path}: ${message}`.replace('policy.webhooks[0]', ''));

const event_types = ['channel_occupied'];
const url = 'https://hooks.example.com/rt';

describe('webhook entries', () => {
  it.each([
    [{ event_types }],
    [{ event_types, url, lambda_function: 'f' }],
    [{ event_types, lambda: { function_name: 'f', region: 'eu' }, lambda_function: 'f' }],
  ])('need exactly one target: %j', (entry) => {
    expect(problems(entry)).toEqual([': exactly one of url, lambda and lambda_function must be set']);
  });

  it.each([['ftp://h/'], ['hooks.example.com'], ['']])('refuse the URL "%s"', (url) => {
    expect(problems({ event_types, url })).toEqual(['.url: must be an http or https URL']);
  });

  it('need at least one event type', () => {
    expect(problems({ url, event_types: [] })).toEqual(['.event_types: must not be empty']);
  });

  it('only warn of event names this version does not know', () => {
    const { record, warnings } = parse({ url, event_types: ['channel_occupied', 'channel_ocupied'] });
    expect(record?.policy.webhooks[0]?.event_types).toHaveLength(2);
    expect(warnings).toEqual([
      { path: 'policy.webhooks[0].event_types[1]', message: 'unknown webhook event "channel_ocupied"' },
    ]);
  });

  it('may not replace the headers that the service sets', () => {
    const headers = { 'content-type': 'x', 'X-Pusher-Key': 'x', 'x-pusher-SIGNATURE': 'x', 'x-env': 'eu' };
    const message = 'must not replace a header that the service sets';
    expect(problems({ url, event_types, headers })).toEqual([
      `.headers.content-type: ${message}`,
      `.headers.X-Pusher-Key: ${message}`,
      `.headers.x-pusher-SIGNATURE: ${message}`,
    ]);
  });

  it('may not break out of a header', () => {
    expect(problems({ url, event_types, headers: { 'x\r\ny': 'v', z: 'a\r\nb: c' } })).toEqual([
      '.headers.x\r\ny: not a header name',
      '.headers.z: not a header value',
    ]);
  });

  it('need a first wait that is not above the longest', () => {
    expect(problems({ url, event_types, retry: { initial_backoff_ms: 20, max_backoff_ms: 10 } })).toEqual([
      '.retry.initial_backoff_ms: must be at most 10',
    ]);
  });

  it('match nothing with a channel pattern that does not compile', () => {
    const { record, warnings } = parse({ url, event_types, filter: { channel_pattern: 'a(' } });
    expect(record?.policy.webhooks[0]?.filter?.channel_pattern?.matches('a(')).toBe(false);
    expect(warnings.map(({ path }) => path)).toEqual(['policy.webhooks[0].filter.channel_pattern']);
  });
});
