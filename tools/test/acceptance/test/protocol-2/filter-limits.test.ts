import { expect, it } from 'vitest';
import { ClientV2 } from '../harness/client-v2.js';
import { onServer } from '../harness/every-app.js';
import { eventually } from '../harness/eventually.js';
import type { Node } from '../harness/node.js';
import { openTenant } from '../harness/tenant.js';

const PER_CHANNEL = 2;
const PER_APP = 3;
const env = {
  TAG_FILTERING_ENABLED: 'true',
  TAG_FILTERING_MAX_FILTERS_PER_CHANNEL: String(PER_CHANNEL),
  TAG_FILTERING_MAX_FILTERS_PER_APP: String(PER_APP),
};

/** A filter that is evaluated for every message, of which each number is a distinct one. */
const filter = (n: number): object => ({ expression: `data.n > \`${n}\`` });
const SUCCEEDED = 'service_internal:subscription_succeeded';

async function subscribe(client: ClientV2, channel: string, n: number): Promise<void> {
  client.send({ event: 'service:subscribe', data: { channel, filter: filter(n) } });
  expect(await client.next()).toMatchObject({ event: SUCCEEDED, channel });
}

/** Subscribes as soon as connections that are about to end leave a filter for it. */
const subscribeEventually = (client: ClientV2, channel: string, n: number): Promise<void> =>
  eventually(async () => {
    client.send({ event: 'service:subscribe', data: { channel, filter: filter(n) } });
    const { event } = await client.next();
    // The refusal has two frames.
    if (event !== SUCCEEDED) await client.next();
    expect(event).toBe(SUCCEEDED);
  });

/** Subscribes beyond a limit, and returns the message of the refusal. */
async function refused(client: ClientV2, channel: string, n: number): Promise<string> {
  client.send({ event: 'service:subscribe', data: { channel, filter: filter(n) } });
  const error = await client.next();
  expect(error).toMatchObject({ event: 'service:error', channel, data: { code: 4301 } });
  expect(await client.next()).toMatchObject({
    event: 'service:subscription_error',
    channel,
    data: { code: 4301, status: 400 },
  });
  return (error.data as { readonly message: string }).message;
}

async function expectUsable(client: ClientV2): Promise<void> {
  client.send({ event: 'service:ping', data: {} });
  expect(await client.next()).toMatchObject({ event: 'service:pong' });
}

const shop = openTenant('shop');

onServer('limits of distinct filters', { tenants: [shop], env }, (node: Node) => {
  it('refuses a filter beyond max_filters_per_channel with 4301, and counts it no more once unsubscribed', async () => {
    const client = await ClientV2.connect(node);
    const other = await ClientV2.connect(node);
    await subscribe(client, 'a', 1);
    await subscribe(client, 'b', 1);
    await subscribe(other, 'a', 2);
    const third = await ClientV2.connect(node);
    const message = await refused(third, 'a', 3);
    expect(message).toContain(`Channel "a" has ${PER_CHANNEL} distinct filters`);
    expect(message).toContain('tag_filtering.max_filters_per_channel');
    expect(message).toContain('use the filter of another subscription');
    await expectUsable(third);
    // The same filter as that of another one does not count.
    await subscribe(third, 'a', 2);
    other.send({ event: 'service:unsubscribe', data: { channel: 'a' } });
    third.send({ event: 'service:unsubscribe', data: { channel: 'a' } });
    await expectUsable(other);
    await expectUsable(third);
    await subscribe(third, 'a', 3);
    for (const one of [client, other, third]) one.vanish();
  });

  it('refuses a filter beyond max_filters_per_app with 4301, and counts none of a connection that has ended', async () => {
    const client = await ClientV2.connect(node);
    // Connections of another test may be about to end.
    for (let n = 0; n < PER_APP; n += 1) await subscribeEventually(client, `c${n}`, 10 + n);
    const other = await ClientV2.connect(node);
    const message = await refused(other, 'd', 20);
    expect(message).toContain(`App "shop" has ${PER_APP} distinct filters`);
    expect(message).toContain('tag_filtering.max_filters_per_app');
    await expectUsable(other);
    client.vanish();
    await subscribeEventually(other, 'd', 20);
    await expectUsable(other);
  });
});
