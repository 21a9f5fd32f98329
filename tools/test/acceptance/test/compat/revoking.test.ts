import * as Ably from 'ably';
import { afterEach, expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { basicOf, tokenRequest } from './key.js';

const shop = openTenant('shop');
const KEY = { key: 'shop.rev', secret: 'rev0kable' };
const OTHER = { key: 'shop.not', secret: 'n0t' };
const config = {
  compat: {
    enabled: true,
    keys: [
      { app_id: 'shop', key_name: KEY.key, secret: KEY.secret, revocable_tokens: true },
      { app_id: 'shop', key_name: OTHER.key, secret: OTHER.secret },
    ],
  },
};
const codeOf = async (answer: Promise<Response>): Promise<number> =>
  ((await (await answer).json()) as { error: { code: number } }).error.code;
const answerWith = async (
  token: Promise<string>,
  done: (error: null, token: string) => void,
): Promise<void> => done(null, await token);

onServer('tokens of Ably clients are revoked', { tenants: [shop], config }, (node) => {
  const open: Ably.Realtime[] = [];
  afterEach(() => {
    for (const one of open.splice(0)) one.close();
  });
  const url = (path: string): string => `http://127.0.0.1:${node.port}${path}`;
  const post = (path: string, body: object, authorization = ''): Promise<Response> =>
    fetch(url(path), {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
    });
  const tokenOf = async (clientId: string): Promise<string> => {
    const answer = await post(`/keys/${KEY.key}/requestToken`, tokenRequest(KEY, { clientId }));
    return ((await answer.json()) as { token: string }).token;
  };
  const revoke = (body: object, authorization = basicOf(KEY), key = KEY.key): Promise<Response> =>
    post(`/keys/${key}/revokeTokens`, body, authorization);
  const connect = (token: string): Ably.Realtime => {
    const client = new Ably.Realtime({ token, endpoint: '127.0.0.1', port: node.port, tls: false });
    open.push(client);
    return client;
  };
  const reads = (token: string): Promise<Response> =>
    fetch(url('/channels/a/messages'), {
      headers: { authorization: `Bearer ${Buffer.from(token).toString('base64')}` },
    });

  it('of one client, whose connection ends, and of no other (case 14)', async () => {
    const [ada, bob] = [await tokenOf('ada'), await tokenOf('bob')];
    const clients = [connect(ada), connect(bob)];
    await Promise.all(clients.map((one) => one.connection.once('connected')));
    const ended = new Promise<Ably.ConnectionStateChange>((resolve) => {
      clients[0]?.connection.on((change) => {
        if (change.current !== 'connected') resolve(change);
      });
    });
    const answer = await revoke({ targets: ['clientId:ada', 'user:x'] });
    expect(await answer.json()).toMatchObject({
      successCount: 1,
      failureCount: 1,
      results: [{ target: 'clientId:ada' }, { target: 'user:x', error: { code: 40_000 } }],
    });
    expect((await ended).reason?.code).toBe(40_141);
    expect(await codeOf(reads(ada))).toBe(40_141);
    expect((await reads(bob)).status).toBe(200);
    expect(clients[1]?.connection.state).toBe('connected');
  });

  it('but a client is asked for another one first where that is wished', async () => {
    let asked = 0;
    const client = new Ably.Realtime({
      authCallback: (_params, done) => {
        asked += 1;
        void answerWith(tokenOf('eve'), done);
      },
      endpoint: '127.0.0.1',
      port: node.port,
      tls: false,
    });
    open.push(client);
    await client.connection.once('connected');
    const updated = client.connection.once('update');
    await revoke({ targets: ['clientId:eve'], allowReauthMargin: true });
    await updated;
    expect(asked).toBe(2);
    expect(client.connection.state).toBe('connected');
  });

  it('only by the key itself, and only within bounds', async () => {
    const targets = ['clientId:nobody'];
    expect(await codeOf(revoke({ targets: Array.from({ length: 101 }, () => 'clientId:a') }))).toBe(40_000);
    expect(await codeOf(revoke({ targets, issuedBefore: Date.now() - 7_200_000 }))).toBe(40_000);
    expect(await codeOf(revoke({ targets }, basicOf(OTHER)))).toBe(40_160);
    expect(await codeOf(revoke({ targets }, basicOf(OTHER), OTHER.key))).toBe(40_160);
    const bearer = `Bearer ${Buffer.from(await tokenOf('ada')).toString('base64')}`;
    expect(await codeOf(revoke({ targets }, bearer))).toBe(40_162);
  });
});
