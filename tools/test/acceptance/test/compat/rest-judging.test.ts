import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { onServer } from '../harness/every-app.js';
import { openTenant } from '../harness/tenant.js';
import { basicOf, tokenRequest } from './key.js';

const shop = openTenant('shop', { history: { enabled: true }, channels: { annotations_enabled: true } });
const plain = openTenant('plain');
const off = { ...openTenant('off'), enabled: false };
const REV = { key: 'shop.rev', secret: 'rev0kable' };
const GONE = { key: 'gone.k', secret: 'g0ne' };
const env = {
  HISTORY_ENABLED: 'true',
  HISTORY_BACKEND: 'memory',
  PRESENCE_HISTORY_ENABLED: 'true',
  VERSIONED_MESSAGES_ENABLED: 'true',
  ANNOTATIONS_ENABLED: 'true',
};
const row = ({ key, secret }: typeof REV, app_id: string, more: object = {}): object => ({
  app_id,
  key_name: key,
  secret,
  ...more,
});
const configOf = (revApp: string) => ({
  compat: {
    enabled: true,
    keys: [row(REV, revApp, { revocable_tokens: true }), row(GONE, 'nowhere')],
  },
});

function jwt(claims: object, { key, secret }: typeof REV = shop): string {
  const parts = [{ alg: 'HS256', kid: key }, claims];
  const text = parts.map((one) => Buffer.from(JSON.stringify(one)).toString('base64url')).join('.');
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

interface Told {
  readonly status: number;
  readonly code: number | undefined;
  readonly value: unknown;
  readonly link: string;
}

interface Asking {
  readonly body?: unknown;
  readonly authorization?: string;
}

const codes = async (all: readonly Promise<Told>[]): Promise<unknown[]> =>
  (await Promise.all(all)).map(({ code }) => code);
const wrong = ({ key }: Pick<typeof REV, 'key'>): string => basicOf({ key, secret: 'wrong' });
const cursorOf = ({ link }: Told): string => /cursor=([\w-]+)/.exec(link)?.[1] ?? '';
const made = (place: string): string =>
  Buffer.from(JSON.stringify([1, ['shop', 'stats', 'minute', 'backwards', null, null], place])).toString(
    'base64url',
  );

onServer(
  'what REST for Ably clients takes',
  { tenants: [shop, plain, off], config: configOf('shop'), env },
  (node) => {
    const ask = async (path: string, { body, authorization = basicOf(shop) }: Asking = {}): Promise<Told> => {
      const answer = await fetch(`http://127.0.0.1:${node.port}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          'content-type': 'application/json',
          ...(authorization && { authorization }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const value = (await answer.json()) as { error?: { code: number } };
      const link = answer.headers.get('link') ?? '';
      return { status: answer.status, code: value.error?.code, value, link };
    };
    const publish = (body: unknown): Promise<Told> => ask('/channels/judged/messages', { body });
    const request = (key: typeof REV, parts: Readonly<Record<string, string>> = {}): Promise<Told> =>
      ask(`/keys/${key.key}/requestToken`, { body: tokenRequest(key, parts), authorization: '' });
    const reads = (authorization: string): Promise<Told> => ask('/channels/a/messages', { authorization });

    it('tells of an app that is gone or disabled to those alone who hold its key', async () => {
      expect(await codes([off, GONE].map((key) => reads(wrong(key))))).toEqual([40_101, 40_101]);
      expect(await codes([off, GONE].map((key) => reads(basicOf(key))))).toEqual([40_300, 40_400]);
      expect(await codes([off, GONE].map((key) => request({ ...key, secret: 'wrong' })))).toEqual([
        40_101, 40_101,
      ]);
      expect(await codes([off, GONE].map((key) => request(key)))).toEqual([40_300, 40_400]);
    });

    it('takes a JWT whose claims are none for no token at all, so that a client gets another', async () => {
      const iat = Math.floor(Date.now() / 1000);
      const told = [
        { 'x-ably-capability': 'nothing' },
        { 'x-ably-capability': '{"*":["fly"]}' },
        { 'x-ably-clientId': 'a'.repeat(256) },
        { 'x-ably-clientId': 'a\nb' },
      ].map((more) => reads(`Bearer ${jwt({ iat, exp: iat + 60, ...more })}`));
      expect(await codes(told)).toEqual([40_144, 40_144, 40_144, 40_144]);
    });

    it('gives no token for lines that could be read in two ways', async () => {
      // Signed for one client, who could make it a request for another.
      const told = (
        [
          { clientId: 'admin\n1750000000000\nx' },
          { clientId: 'a'.repeat(256) },
          { nonce: 'x\ny' },
        ] as Readonly<Record<string, string>>[]
      ).map((parts) => request(shop, parts));
      expect(await codes(told)).toEqual([40_012, 40_012, 40_000]);
    });

    it('takes what is null for what is not there, also where tokens are revoked', async () => {
      const body = { targets: ['clientId:nobody'], issuedBefore: null, allowReauthMargin: null };
      const told = await ask(`/keys/${REV.key}/revokeTokens`, { body, authorization: basicOf(REV) });
      expect(told).toMatchObject({ status: 200, value: { successCount: 1 } });
    });

    it('publishes nothing that only looks like a message', async () => {
      expect(
        await codes([{ id: '' }, { clientId: '' }, { extras: { ephemeral: 'yes' } }].map(publish)),
      ).toEqual([40_031, 40_012, 40_032]);
      expect((await ask('/channels/judged/messages')).value).toEqual([]);
    });

    it('publishes once what is published twice at a time, with a history and without', async () => {
      for (const app of [shop, plain]) {
        const authorization = basicOf(app);
        const body = { id: 'twice', data: 'x' };
        const [one, other] = await Promise.all(
          [body, body].map((each) => ask('/channels/twice/messages', { body: each, authorization })),
        );
        expect([one?.status, other?.status]).toEqual([201, 201]);
        expect(one?.value).toEqual(other?.value);
        const others = await ask('/channels/twice/messages', { body: { ...body, data: 'y' }, authorization });
        expect(others.code).toBe(40_031);
      }
    });

    it('makes no annotation where one of several could not be made', async () => {
      const { value } = await ask('/channels/annotated/messages', { body: { data: 'x' } });
      const [serial = ''] = (value as { serials: string[] }).serials;
      const path = `/channels/annotated/messages/${encodeURIComponent(serial)}/annotations`;
      const good = { type: 'reactions:total.v1', clientId: 'zoe' };
      const bad = [
        { ...good, type: 'no type' },
        { ...good, type: 'reactions:distinct.v1' },
        { type: 'reactions:flag.v1' },
        { ...good, clientId: 'z'.repeat(129) },
      ];
      const told = bad.map((one) => ask(path, { body: [good, one] }));
      expect(await codes(told)).toEqual([40_000, 40_000, 40_012, 40_000]);
      expect((await ask(path)).value).toEqual([]);
      const once = { ...good, id: 'once' };
      expect(
        (await Promise.all([once, once].map((body) => ask(path, { body })))).map(({ status }) => status),
      ).toEqual([201, 201]);
      expect((await ask(path)).value).toHaveLength(1);
    });

    it('goes on with a cursor where it was given, and nowhere else', async () => {
      for (const name of ['one', 'two', 'three']) await ask('/channels/paged/messages', { body: { name } });
      const history = cursorOf(await ask('/channels/paged/messages?limit=1'));
      const others = [
        `/channels/other/messages?cursor=${history}`,
        `/channels/paged/messages?direction=forwards&cursor=${history}`,
        `/channels/paged/messages?end=5&cursor=${history}`,
        `/channels/paged/presence?cursor=${history}`,
        `/channels/paged/presence/history?cursor=${history}`,
        `/channels/paged/presence?cursor=${Buffer.from('1a\0b').toString('base64url')}`,
      ];
      expect(await codes(others.map((path) => ask(path)))).toEqual(others.map(() => 40_000));
      for (const place of ['x y', '9e9 1', '1', '-1 -1'])
        expect((await ask(`/stats?cursor=${made(place)}`)).code).toBe(40_000);
      expect((await ask(`/stats?cursor=${made('1 1')}`)).value).toEqual([]);
      // So many are not given at once, and nobody is told off for asking.
      expect((await ask(`/channels/paged/messages?limit=${'9'.repeat(20)}`)).value).toHaveLength(3);
    });

    it('does not take the token of one app for that of another, whatever becomes of the name of a key', async () => {
      const body = tokenRequest(REV);
      const given = await ask(`/keys/${REV.key}/requestToken`, { body, authorization: '' });
      const { token } = given.value as { token: string };
      const authorization = `Bearer ${Buffer.from(token).toString('base64')}`;
      expect((await reads(authorization)).status).toBe(200);
      await node.reload(configOf('plain'));
      expect((await reads(authorization)).code).toBe(40_141);
    });
  },
);
