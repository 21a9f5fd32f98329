import * as Ably from 'ably';
import { afterEach, expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { AblyClients } from './ably.js';
import { keyOf, tokenRequest } from './key.js';

const shop = openTenant('shop');
const DEMO = { key: 'demo.k1', secret: 's3cr3t' };
const ROTATED = { key: 'shop.rotated', secret: 'r0tated' };
const KEPT = { key: 'shop.kept', secret: 'k3pt' };

const row = ({ key, secret }: typeof DEMO, more: object = {}): object => ({
  app_id: 'shop',
  key_name: key,
  secret,
  ...more,
});
const configOf = (rotation_id: string) => ({
  compat: {
    enabled: true,
    // Requests of any time are taken, those of the page on the protocol too.
    token_request_timestamp_skew_ms: 1_000_000_000_000,
    keys: [
      row(DEMO),
      row(ROTATED, { revocable_tokens: true, rotation_id }),
      row(KEPT, { revocable_tokens: false, rotation_id }),
    ],
  },
});

/** As they stand on the page on the protocol. */
const VECTORS = [
  {
    keyName: 'demo.k1',
    ttl: 3_600_000,
    capability: '{"chat:*":["publish","subscribe"]}',
    clientId: 'ada',
    timestamp: 1_750_000_000_000,
    nonce: 'n0nce-0001-abcdef',
    mac: 'hZ1/xGtMoTNjY0pKyHPjZtNN6PevdCiHfyaAnIMaooU=',
  },
  {
    keyName: 'demo.k1',
    timestamp: 1_750_000_000_000,
    nonce: 'n0nce-0001-abcdef',
    mac: 'dHLjsizBXXmk/PiCwQm8Z0tXAWniXvrO2ATb9Llx6XY=',
  },
];

const codeOf = async (answer: Response): Promise<number> =>
  ((await answer.json()) as { error: { code: number } }).error.code;

onServer('tokens of Ably clients', { tenants: [shop], config: configOf('first') }, (node) => {
  const clients = new AblyClients(node, shop);
  afterEach(() => clients.close());
  const request = ({ key }: Pick<typeof DEMO, 'key'>, body: object): Promise<Response> =>
    fetch(`http://127.0.0.1:${node.port}/keys/${key}/requestToken`, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  const tokenOf = async (key: typeof DEMO, more: Readonly<Record<string, number>> = {}): Promise<string> => {
    const answer = await request(key, tokenRequest(key, more));
    return ((await answer.json()) as { token: string }).token;
  };
  const reads = (token: string): Promise<Response> =>
    fetch(`http://127.0.0.1:${node.port}/channels/a/messages`, {
      headers: { authorization: `Bearer ${Buffer.from(token).toString('base64')}` },
    });

  it('are given for the requests that all agree on (case 4)', async () => {
    const [whole, short] = VECTORS;
    for (const body of VECTORS) {
      const wrong = await request(DEMO, { ...body, mac: `i${body.mac.slice(1)}` });
      expect([wrong.status, await codeOf(wrong)]).toEqual([401, 40_101]);
    }
    const given = await request(DEMO, whole ?? {});
    expect(given.status).toBe(200);
    expect(await given.json()).toMatchObject({ keyName: 'demo.k1', clientId: 'ada' });
    // Its nonce is that of the other, which is looked at last: all else of it is right.
    const again = await request(DEMO, short ?? {});
    expect([again.status, await codeOf(again)]).toEqual([401, 40_105]);
  });

  const bad = {
    expired: () => tokenOf(DEMO, { ttl: 1 }),
    'made up': async () => 't1.made-up-by-nobody',
  } as const;
  it.each(Object.keys(bad) as (keyof typeof bad)[])(
    'that are %s are told so, and stock clients ask for another (case 10)',
    async (what) => {
      const token = await bad[what]();
      const answer = await reads(token);
      expect([answer.status, await codeOf(answer)]).toEqual([401, what === 'expired' ? 40_142 : 40_143]);
      let asked = 0;
      const authCallback: Ably.ClientOptions['authCallback'] = (_params, done) => {
        asked += 1;
        const next = tokenRequest(shop, { clientId: 'ada' }) as unknown as Ably.TokenRequest;
        done(null, asked === 1 ? token : next);
      };
      const client = clients.connect({ authCallback });
      await client.connection.once('connected');
      expect([asked, client.auth.clientId]).toEqual([2, 'ada']);
    },
  );

  it('of a key that is rotated are over where they can be revoked, and go on elsewhere (case 13)', async () => {
    const [rotated, kept] = [await tokenOf(ROTATED), await tokenOf(KEPT)];
    expect([(await reads(rotated)).status, (await reads(kept)).status]).toEqual([200, 200]);
    await node.reload(configOf('second'));
    const over = await reads(rotated);
    expect([over.status, await codeOf(over)]).toEqual([401, 40_141]);
    expect((await reads(kept)).status).toBe(200);
    expect((await reads(await tokenOf(ROTATED))).status).toBe(200);
    const basic = `Basic ${Buffer.from(keyOf(KEPT)).toString('base64')}`;
    const path = `http://127.0.0.1:${node.port}/channels/a/messages`;
    expect((await fetch(path, { headers: { authorization: basic } })).status).toBe(200);
    await node.reload({ compat: { enabled: true, keys: [row(DEMO)] } });
    expect(await codeOf(await fetch(path, { headers: { authorization: basic } }))).toBe(40_101);
  });
});
