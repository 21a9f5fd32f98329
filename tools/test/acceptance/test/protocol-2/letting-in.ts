import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { tokenFor } from '../harness/signatures.js';
import type { Tenant } from '../harness/tenant.js';
import { heard, type Place } from './place.js';

const segment = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Tokens that nobody may come in with, each wrong in one way. */
function wrongTokens({ key, secret }: Tenant): readonly string[] {
  const now = Math.floor(Date.now() / 1000);
  const good = {
    'x-service-client-id': 'ada',
    'x-service-capability': { '*': ['subscribe'] },
    iat: now,
    exp: now + 60,
    jti: 'wrong',
  };
  const made = (claims: object, header: object = {}): string => {
    const signed = `${segment({ alg: 'HS256', kid: key, ...header })}.${segment({ ...good, ...claims })}`;
    return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
  };
  return [
    made({}, { alg: 'RS256' }),
    made({}, { alg: 'none' }),
    made({}, { kid: 'another' }),
    made({}, { crit: ['x-new'] }),
    made({}, { zip: 'DEF' }),
    made({ exp: now + 86_401 }),
    made({ exp: now - 31 }),
    made({ jti: undefined }),
    made({ 'x-service-capability': { '*': ['fly'] } }),
    made({ padding: 'x'.repeat(8000) }),
    `${made({}).slice(0, -2)}xx`,
    'none',
  ];
}

const bearing = (token: string): { readonly query: string } => ({ query: `&token=${token}` });

/** What tokens permit, and who is let into channels of some users alone. */
export function lettingIn(place: Place): void {
  const { tenant } = place;

  it('lets a token do what it says, beside signatures, and refuses it what it does not', async () => {
    const name = place.name('room');
    const token = tokenFor(tenant, 'ada', { [`${name}*`]: ['subscribe'] });

    const client = await place.connect(1, bearing(token));
    await client.subscribe(name);
    expect(await client.refused(place.name('hall'))).toEqual([4009, 403]);
    expect(await client.refused(`private-${name}`)).toEqual([4009, 403]);
    const closed = await place.connect(0, bearing(tokenFor(tenant, 'bo', { '*': ['subscribe'] })));
    expect(await closed.refused(`private-${name}`, { auth: '' })).toEqual([4009, 401]);
    await closed.subscribe(`private-${name}`);
    closed.send({ event: 'client-x', channel: `private-${name}`, data: 1 });
    expect(await closed.next()).toMatchObject({ event: 'service:error', data: { code: 4009 } });
  });

  it('closes with 4009 for a token that is wrong', async () => {
    const ends = wrongTokens(tenant).map(async (token) =>
      (await place.open(1, { query: `&token=${token}` })).ended(),
    );
    for (const { frames, code } of await Promise.all(ends)) {
      expect([code, frames.map(({ event }) => event)]).toEqual([4009, ['service:error']]);
    }
  });

  it('tells a token expired at once, and takes another, when it ended within the clock skew', async () => {
    const late = tokenFor(tenant, 'ada', { '*': ['subscribe'] }, { lifeSeconds: -5 });
    const expired = { event: 'service:token_expired', data: { code: 40_142, reason: 'expired' } };
    const client = await place.connect(0, bearing(late));
    expect(await client.next()).toMatchObject(expired);
    await client.subscribe(place.name('room'));
    client.send({ event: 'service:auth', data: { token: late } });
    expect((await client.next()).event).toBe('service:auth_success');
    expect(await client.next()).toMatchObject(expired);
    const good = tokenFor(tenant, 'ada', { '*': ['subscribe'] });
    client.send({ event: 'service:auth', data: { token: good } });
    expect((await client.next()).event).toBe('service:auth_success');
    expect(await client.pending()).toEqual([]);
  });

  it('takes a newer token of the same client, and ends what that does not permit', async () => {
    const [stays, goes] = [place.name('stays'), place.name('goes')];
    const client = await place.connect(0, bearing(tokenFor(tenant, 'ada', { '*': ['subscribe'] })));
    for (const channel of [stays, goes]) await client.subscribe(channel);
    const refresh = (token: string): void => client.send({ event: 'service:auth', data: { token } });
    refresh(tokenFor(tenant, 'bo', {}));
    expect(await client.next()).toMatchObject({ event: 'service:error', data: { code: 4009 } });
    const id = place.name('jti');
    refresh(tokenFor(tenant, 'ada', { [stays]: ['subscribe'] }, { id }));
    expect(await client.next()).toMatchObject({
      event: 'service:auth_success',
      data: { client_id: 'ada', jti: id, exp: expect.any(Number) },
    });
    expect(await client.next()).toMatchObject({
      event: 'service:subscription_error',
      channel: goes,
      data: { status: 403 },
    });
    await place.publish(goes, 'gone');
    await place.publish(stays, 'last');
    expect(await heard(client)).toEqual([]);
  });

  it('ends at every gateway what a revocation names, whoever was told of it, and lets it in nowhere', async () => {
    const user = place.name('user');
    const ids = [place.name('jti'), place.name('jti'), place.name('jti')];
    const [one = '', two = '', three = ''] = ids.map((id) =>
      tokenFor(tenant, user, { '*': ['subscribe'] }, { id }),
    );
    const [first, second] = [await place.connect(0, bearing(one)), await place.connect(1, bearing(two))];
    const third = await place.connect(1, bearing(three));
    const expectRevoked = async (client: typeof first): Promise<void> => {
      const { frames, code } = await client.ended();
      expect(code).toBe(4009);
      expect(frames[0]).toMatchObject({
        event: 'service:token_expired',
        data: { code: 40_160, reason: 'revoked' },
      });
    };
    await place.post('/revocations', { jti: ids[1], ttl_seconds: 60 });
    await expectRevoked(second);
    await first.pending();
    first.send({ event: 'service:auth', data: { token: two } });
    expect(await first.next()).toMatchObject({ event: 'service:error', data: { code: 4009 } });
    for (const gateway of [0, 1] as const)
      expect((await (await place.open(gateway, bearing(two))).ended()).code).toBe(4009);
    await place.post('/revocations', { client_id: user, ttl_seconds: 60 });
    for (const client of [first, third]) await expectRevoked(client);
  });

  it('lets only them into a channel of some users, however they say who they are', async () => {
    const channel = `chat:${place.name('r')}#alice,cleo`;
    if (tenant.policy.channels === undefined) {
      const client = await place.connect(1);
      await client.signin('alice');
      return expect(await client.refused(channel)).toEqual([4300, 400]);
    }
    const [alice, bob] = [await place.connect(0), await place.connect(1)];
    await alice.signin('alice');
    await bob.signin('bob');
    const cleo = await place.connect(1, bearing(tokenFor(tenant, 'cleo', { '*': ['subscribe'] })));
    for (const client of [alice, cleo]) await client.subscribe(channel);
    expect(await bob.refused(channel)).toEqual([4009, 403]);
    const nobody = await place.connect(1);
    expect(await nobody.refused(channel)).toEqual([4009, 403]);
    await place.publish(channel, 'last');
    for (const client of [alice, cleo]) expect(await heard(client)).toEqual([]);
    bob.send({ event: 'service:channel_history', data: { channel } });
    expect(await bob.next()).toMatchObject({ event: 'service:error' });
  });

  it('gives a user what is sent to the user, wherever, and ends or moves what it has', async () => {
    const user = place.name('u');
    const clients = await place.both();
    for (const client of clients) await client.signin(user);
    const other = await place.connect(1);
    await other.signin(`${user}-x`);
    const channel = `#server-to-user-${user}`;
    expect(await other.refused(channel)).toEqual([4009, 403]);
    await place.publish(channel, 'for you');
    for (const client of clients)
      expect(await client.next()).toMatchObject({ event: 'news', channel, data: 'for you' });
    await place.api().user(user, 'force_reconnect');
    for (const client of clients) expect((await client.ended()).code).toBe(4200);
    expect(await other.pending()).toEqual([]);
    await place.api().user(`${user}-x`, 'terminate_connections');
    expect((await other.ended()).code).toBe(4009);
  });
}
