import type { App } from '@carillon/app-registry';
import { namespaceName } from '@carillon/channels';
import type { WebhookJob } from '@carillon/contracts';
import { describe, expect, it } from 'vitest';
import { entryKeys } from '../../src/delivery/entry-key.js';
import { deliveriesOf as expand } from '../../src/delivery/expand.js';
import { app } from '../samples.js';

const deliveriesOf = (of: WebhookJob, to: App) => expand(of, to, namespaceName);

const occupied = (channel: string) => ({
  name: 'channel_occupied',
  channel,
  body: `{"name":"channel_occupied","channel":"${channel}"}`,
});
const job = (...channels: readonly string[]): WebhookJob => ({
  v: 1,
  kind: 'webhook',
  batch_id: 'batch-1',
  app_id: 'shop',
  time_ms: 1_760_000_000_123,
  events: channels.map(occupied),
});

const everything = { url: 'http://a/', event_types: ['channel_occupied'] };
const orders = {
  url: 'http://b/',
  event_types: ['channel_occupied'],
  filter: { channel_prefix: 'orders' },
};
const ids = (of: WebhookJob) => deliveriesOf(of, app([everything, orders])).map((one) => one.delivery_id);

describe('a batch becomes one delivery a receiver', () => {
  it('with just the events it takes, in their order, under the time of the batch', () => {
    const [first, second] = deliveriesOf(job('news', 'orders-2', 'orders-1'), app([everything, orders]));
    expect(first?.body).toBe(
      '{"time_ms":1760000000123,"events":[{"name":"channel_occupied","channel":"news"},' +
        '{"name":"channel_occupied","channel":"orders-2"},{"name":"channel_occupied","channel":"orders-1"}]}',
    );
    expect(second?.body).toBe(
      '{"time_ms":1760000000123,"events":[{"name":"channel_occupied","channel":"orders-2"},' +
        '{"name":"channel_occupied","channel":"orders-1"}]}',
    );
  });

  it('and none where nothing matches', () => {
    expect(deliveriesOf(job('news'), app([orders]))).toEqual([]);
    expect(deliveriesOf(job('news'), app())).toEqual([]);
  });

  it('also when two are the same', () => {
    const two = deliveriesOf(job('news'), app([everything, everything]));
    expect(two).toHaveLength(2);
    expect(new Set(two.map(({ delivery_id }) => delivery_id)).size).toBe(2);
  });

  it('with the same ids whenever it is done again, and others for another batch', () => {
    expect(ids(job('orders'))).toEqual(ids(job('orders')));
    expect(ids({ ...job('orders'), batch_id: 'batch-2' })).not.toEqual(ids(job('orders')));
  });
});

const keys = (...places: readonly object[]) => [
  ...entryKeys(app(places.map((more) => ({ event_types: ['cache_miss'], ...more })))).keys(),
];

describe('a receiver is known again', () => {
  it('by where it is, whatever else is changed about it', () => {
    const [before] = keys({ url: 'https://u:pw@h/x' });
    expect(keys({ url: 'http://other/' }, { url: 'https://u:pw@h/x', headers: { a: 'b' } })[1]).toBe(before);
    expect(keys({ url: 'https://u:pw@h/y' })).not.toContain(before);
    expect(before).not.toMatch(/pw|h\/x/);
  });

  it('by its place among those at the same place', () => {
    expect(new Set(keys({ url: 'http://h/' }, { url: 'http://h/' })).size).toBe(2);
  });

  it('as a function by name and region', () => {
    const function_name = 'f';
    const [here] = keys({ lambda: { function_name, region: 'eu-west-1' } });
    expect(keys({ lambda: { function_name, region: 'us-east-1' } })).not.toContain(here);
    expect(keys({ lambda_function: 'f' })).toEqual(keys({ lambda: { function_name, region: 'us-east-1' } }));
  });
});
