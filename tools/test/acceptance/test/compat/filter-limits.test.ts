import { afterEach, expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { eventually } from '../harness/eventually.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients } from './ably.js';
import { keyOf } from './key.js';
import { RawAbly } from './raw-ably.js';

const [ATTACH, ATTACHED, DETACH, DETACHED, ERROR] = [10, 11, 12, 13, 9];
const PER_CHANNEL = 2;
const PER_APP = 3;
const env = {
  TAG_FILTERING_MAX_FILTERS_PER_CHANNEL: String(PER_CHANNEL),
  TAG_FILTERING_MAX_FILTERS_PER_APP: String(PER_APP),
};
const config = { compat: { enabled: true } };
const shop = openTenant('shop');

const derived = (base: string, n: number): string =>
  `[filter=${Buffer.from(`data.n > \`${n}\``).toString('base64')}]${base}`;

/** Returns the answer: attached, or the error of the channel. */
const attach = async (client: RawAbly, channel: string) => {
  client.send({ action: ATTACH, channel });
  for (;;) {
    const frame = await client.next();
    if (frame['action'] === ATTACHED || frame['action'] === ERROR) return frame;
  }
};

const attached = (client: RawAbly, channel: string): Promise<void> =>
  eventually(async () => expect(await attach(client, channel)).toMatchObject({ action: ATTACHED, channel }));
const refused = async (client: RawAbly, channel: string): Promise<string> => {
  const frame = await attach(client, channel);
  expect(frame).toMatchObject({ action: ERROR, channel, error: { code: 90_010, statusCode: 400 } });
  return (frame['error'] as { readonly message: string }).message;
};

onServer('limits of distinct filters of derived channels', { tenants: [shop], config, env }, (node) => {
  const clients = new AblyClients(node, shop);
  afterEach(() => clients.close());
  const connect = async (): Promise<RawAbly> => {
    const client = await RawAbly.open(node.port, `key=${keyOf(shop)}`);
    clients.alsoClose({ close: () => client.raw.destroy() });
    await client.until(4);
    return client;
  };
  it('refuses one beyond max_filters_per_channel, and counts it no more once detached', async () => {
    const [client, other] = [await connect(), await connect()];
    await attached(client, derived('a', 1));
    await attached(client, derived('a', 2));
    const message = await refused(other, derived('a', 3));
    expect(message).toContain(`Channel "a" has ${PER_CHANNEL} distinct filters`);
    expect(message).toContain('tag_filtering.max_filters_per_channel');
    expect(message).toContain('detach a derived channel');
    // The same filter as that of another one does not count, and the connection is usable.
    await attached(other, derived('a', 2));
    await attached(other, 'a');
    client.send({ action: DETACH, channel: derived('a', 1) });
    await client.until(DETACHED);
    await attached(other, derived('a', 3));
  });

  it('refuses one beyond max_filters_per_app, and counts none of a connection that has ended', async () => {
    const client = await connect();
    for (let n = 0; n < PER_APP; n += 1) await attached(client, derived(`c${n}`, 10 + n));
    const other = await connect();
    const message = await refused(other, derived('d', 20));
    expect(message).toContain(`App "shop" has ${PER_APP} distinct filters`);
    expect(message).toContain('tag_filtering.max_filters_per_app');
    client.raw.destroy();
    await attached(other, derived('d', 20));
  });
});
