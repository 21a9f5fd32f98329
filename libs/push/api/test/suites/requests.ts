import { createECDH, randomBytes } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { fcmDevice, type Scene } from '../scene.js';

const curve = createECDH('prime256v1');
const WEB = { p256dh: curve.generateKeys('base64url'), auth: randomBytes(16).toString('base64url') };
const SUBSCRIBE = { 'x-service-push-capability': 'push-subscribe' };
const TEMPLATE = {
  templateId: 'ready',
  defaultLocale: 'en',
  locales: { en: { title: 'Hi {{ data.name }}', body: 'There' } },
};

const item = (publishId: string, payload: object = { title: 't' }) => ({
  publishId,
  recipients: [{ type: 'device', deviceId: 'nobody' }],
  payload,
});

/** Accepted and refused requests. */
export function requests(open: () => Scene): void {
  let sent: Scene['send'];
  beforeAll(() => {
    sent = open().send;
  });

  it('need the capability (1)', async () => {
    expect((await sent('POST', '/templates', TEMPLATE, {})).status).toBe(201);
    expect(
      (await sent('POST', '/templates', TEMPLATE, { 'x-service-push-capability': 'push-admin' })).status,
    ).toBe(201);
    expect((await sent('POST', '/templates', TEMPLATE, SUBSCRIBE)).status).toBe(403);
    expect(
      (await sent('POST', '/templates', TEMPLATE, { 'x-service-push-capability': 'push-root' })).status,
    ).toBe(403);
  });

  it('are of the app of their key (3)', async () => {
    expect((await sent('GET', '/templates', undefined, { 'x-test-app': 'bank' })).status).toBe(401);
  });

  it('hold no text that a database does not take, wherever it stands', async () => {
    const bodies: readonly (readonly [string, object])[] = ['a\0', '\uD800'].flatMap((text) => [
      ['/deviceRegistrations', fcmDevice(text)],
      ['/deviceRegistrations', fcmDevice('odd', { clientId: text })],
      ['/deviceRegistrations', fcmDevice('odd', { locale: text })],
      [
        '/deviceRegistrations',
        fcmDevice('odd', { push: { recipient: { transportType: 'gcm', registrationToken: text } } }),
      ],
      ['/channelSubscriptions', { channel: 'odd', clientId: text }],
      ['/templates', { ...TEMPLATE, templateId: text }],
      ['/publish', { ...item('odd'), recipients: [{ type: 'client', clientId: text }] }],
    ]);
    for (const [path, body] of bodies)
      expect([path, body, (await sent('POST', path, body)).status]).toEqual([path, body, 400]);
    const position = { appId: 'shop', kind: 'device', position: ['a\0'] };
    for (const path of [
      '/deviceRegistrations/a%00',
      '/deviceRegistrations?clientId=a%00',
      '/channelSubscriptions?channel=a%00',
      '/templates/a%00',
      '/publish/a%00/status',
      `/deviceRegistrations?cursor=${Buffer.from(JSON.stringify(position)).toString('base64url')}`,
    ])
      expect([path, (await sent('GET', path)).status]).toEqual([path, 400]);
    expect((await sent('DELETE', '/deviceRegistrations?deviceId=a%00')).status).toBe(400);
  });

  it('page with limits and cursors of their own kind and app (4, 5)', async () => {
    for (const id of ['one', 'two', 'three'])
      await sent('POST', '/deviceRegistrations', fcmDevice(`page-${id}`, { clientId: 'pages' }));
    const first = await sent('GET', '/deviceRegistrations?limit=2&clientId=pages');
    expect(first.body).toMatchObject({ has_more: true, next_cursor: expect.any(String) });
    const cursor = String(first.body['next_cursor']);
    const second = await sent('GET', `/deviceRegistrations?limit=2&clientId=pages&cursor=${cursor}`);
    expect(second.body).toMatchObject({ has_more: false, next_cursor: null });
    const ids = [...first.body.items, ...second.body.items].map(({ id }) => id);
    expect(ids).toEqual(['page-one', 'page-three', 'page-two']);
    for (const limit of ['0', '1001', 'abc', '1.5', '-1']) {
      expect((await sent('GET', `/deviceRegistrations?limit=${limit}`)).status).toBe(400);
    }
    for (const wrong of ['x', cursor.slice(3), Buffer.from('{"appId":"shop"}').toString('base64url')]) {
      expect((await sent('GET', `/deviceRegistrations?cursor=${wrong}`)).status).toBe(400);
    }
    expect((await sent('GET', `/templates?cursor=${cursor}`)).status).toBe(400);
  });

  it.each<readonly [string, unknown]>([
    ['/templates', { ...TEMPLATE, defaultLocale: 'de' }],
    ['/templates', { ...TEMPLATE, locales: { en: { title: '{{ data.x', body: 'b' } } }],
    ['/templates', { ...TEMPLATE, templateId: 'a/b' }],
    ['/templates', '{'],
    ['/templates', '[]'],
    ['/publish', `{"payload":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
    ['/credentials/apns', { teamId: 't' }],
    ['/credentials/hms', { hmsAppId: 'a', clientSecret: 's', version: 0 }],
    ['/deviceRegistrations', fcmDevice('bad', { metadata: { text: 'x'.repeat(5000) } })],
    ['/deviceRegistrations', fcmDevice('bad', { formFactor: 'brick' })],
    ['/deviceRegistrations', fcmDevice('__service_client_scope__:x')],
    ...[
      'http://push.example/',
      'https://169.254.169.254/x',
      'https://[::ffff:10.0.0.1]/x',
      'https://a@10.0.0.1/x',
    ].map(
      (endpoint) =>
        [
          '/deviceRegistrations',
          fcmDevice('bad', {
            push: { recipient: { transportType: 'web', endpoint, p256dh: WEB.p256dh, auth: WEB.auth } },
          }),
        ] as const,
    ),
    [
      '/deviceRegistrations',
      fcmDevice('bad', {
        push: { recipient: { transportType: 'wns', channelUri: 'https://evil.example/' } },
      }),
    ],
    ['/channelSubscriptions', { channel: 'c' }],
    ['/publish', { recipients: [{ type: 'userTopic' }], payload: { title: 't' } }],
    ['/publish', { recipients: [], payload: { title: 't' } }],
    [
      '/publish',
      {
        recipients: Array.from({ length: 1025 }, () => ({ type: 'device', deviceId: 'd' })),
        payload: { title: 't' },
      },
    ],
    ['/publish', { recipients: [{ type: 'device', deviceId: 'd' }], payload: {} }],
    ['/publish', { recipients: [{ type: 'device', deviceId: 'd' }], payload: { templateId: 'none' } }],
    ['/publish', { recipients: [{ type: 'device', deviceId: 'd' }], payload: { templateId: 'ready' } }],
    [
      '/publish',
      { recipients: [{ type: 'device', deviceId: 'd' }], payload: { data: { text: 'x'.repeat(4097) } } },
    ],
    [
      '/publish',
      {
        recipients: [{ type: 'device', deviceId: 'd' }],
        payload: { title: 't' },
        providerOverrides: [{ provider: 'apns', payload: { headers: { 'apns-priority': '7' } } }],
      },
    ],
    ['/batch/publish', []],
    ['/batch/publish', Array.from({ length: 101 }, () => ({}))],
  ])('to %s are refused when they are wrong (%#)', async (path, body) => {
    const answer = await sent('POST', path, body);
    expect([answer.status, answer.body['code']]).toEqual([400, 'invalid_input']);
    expect(answer.headers['cache-control']).toBe('no-store');
  });

  it('give a device its token once, and a new one when it is rotated (15, 16)', async () => {
    const first = await sent('POST', '/deviceRegistrations', fcmDevice('token'));
    expect(first.body).toMatchObject({
      change: 'inserted',
      device: { id: 'token', pushState: 'ACTIVE', clientId: null },
    });
    const token = String(first.body['deviceIdentityToken']);
    expect(token).toHaveLength(43);
    const again = await sent('POST', '/deviceRegistrations', fcmDevice('token'));
    expect(again.body['change']).toBe('unchanged');
    expect(again.body).not.toHaveProperty('deviceIdentityToken');
    const find = (bearer: string) =>
      sent('GET', '/deviceRegistrations/token', undefined, {
        ...SUBSCRIBE,
        authorization: `Bearer ${bearer}`,
      });
    expect((await find(token)).status).toBe(200);
    const rotated = await sent('POST', '/deviceRegistrations', fcmDevice('token'), {
      'x-service-rotate-device-identity-token': 'true',
    });
    expect((await find(token)).status).toBe(401);
    expect((await find(String(rotated.body['deviceIdentityToken']))).status).toBe(200);
  });

  it('let a device change only itself (17, 18, 24)', async () => {
    const post = (id: string, token: string, more = {}) =>
      sent('POST', '/deviceRegistrations', fcmDevice(id, more), {
        ...SUBSCRIBE,
        'x-service-device-identity-token': token,
      });
    const first = await sent('POST', '/deviceRegistrations', fcmDevice('own', { clientId: 'me' }));
    const token = String(first.body['deviceIdentityToken']);
    expect((await post('unknown', token)).status).toBe(403);
    expect((await post('own', 'wrong')).status).toBe(401);
    expect((await post('own', token, { clientId: 'other' })).status).toBe(403);
    expect((await post('own', token, { clientId: 'me', locale: 'fr' })).body['change']).toBe('updated');
    const quiet = await post('own', token, { locale: 'fr' });
    expect(quiet.body).toMatchObject({ change: 'unchanged', device: { clientId: 'me' } });
    const as = { ...SUBSCRIBE, 'x-service-device-identity-token': token };
    await sent('POST', '/deviceRegistrations', fcmDevice('another'));
    for (const deviceId of ['own', 'another'])
      await sent('POST', '/channelSubscriptions', { channel: 'both', deviceId });
    expect(
      (await sent('DELETE', '/channelSubscriptions?channel=both&deviceId=another', undefined, as)).status,
    ).toBe(401);
    expect((await sent('DELETE', '/channelSubscriptions?channel=both', undefined, as)).status).toBe(400);
    const removed = await sent('DELETE', '/channelSubscriptions?channel=both&deviceId=own', undefined, as);
    expect(removed.body).toEqual({ deleted: 1 });
    expect((await sent('GET', '/channelSubscriptions?channel=both')).body.items).toHaveLength(1);
    expect((await sent('POST', '/channelSubscriptions', { channel: 'c', clientId: 'me' }, as)).status).toBe(
      403,
    );
  });

  const active = async (more: Readonly<Record<string, unknown>>) =>
    (await sent('POST', '/deviceRegistrations', fcmDevice('active', more))).body;

  it('tell when a device was last active, if the device says it (15)', async () => {
    expect(await active({ lastActiveAtMs: 7 })).toMatchObject({
      change: 'inserted',
      device: { lastActiveAtMs: 7 },
    });
    expect(await active({ lastActiveAtMs: 7 })).toMatchObject({ change: 'unchanged' });
    expect(await active({})).toMatchObject({ change: 'unchanged', device: { lastActiveAtMs: 7 } });
    expect(await active({ lastActiveAtMs: 8 })).toMatchObject({
      change: 'updated',
      device: { lastActiveAtMs: 8 },
    });
  });

  it('refuse a template whose default is none of its languages, or with a placeholder that never ends (12)', async () => {
    const put = async (more: object) =>
      sent('POST', '/templates', { ...TEMPLATE, templateId: 'r12', ...more });
    const endless = { en: { title: '{{ data.x', body: 'b' } };
    for (const wrong of [{ defaultLocale: 'de' }, { locales: endless }]) {
      expect(await put(wrong)).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
    }
    expect((await sent('GET', '/templates/r12')).status).toBe(404);
    expect(await put({})).toMatchObject({
      status: 201,
      body: { templateId: 'r12', locales: TEMPLATE.locales },
    });
  });

  it('remove devices by filter, and never without one (23, 25)', async () => {
    for (const id of ['f1', 'f2'])
      await sent('POST', '/deviceRegistrations', fcmDevice(id, { clientId: 'filtered' }));
    await sent('POST', '/channelSubscriptions', { channel: 'f', deviceId: 'f1', tokenHash: 'forged' });
    const { items } = (await sent('GET', '/channelSubscriptions?channel=f')).body;
    expect(items[0]?.['tokenHash']).toMatch(/^[0-9a-f]{64}$/);
    expect((await sent('POST', '/channelSubscriptions', { channel: 'f', deviceId: 'none' })).status).toBe(
      404,
    );
    expect((await sent('DELETE', '/deviceRegistrations')).status).toBe(400);
    expect((await sent('DELETE', '/deviceRegistrations?clientId=')).status).toBe(400);
    expect((await sent('DELETE', '/deviceRegistrations?clientId=filtered')).body).toMatchObject({
      deleted: 2,
    });
    expect((await sent('GET', '/channelSubscriptions?channel=f')).body.items).toEqual([]);
  });

  it('of a batch are all taken or none, and answered in order (42)', async () => {
    const refused = await sent('POST', '/batch/publish', [item('b1'), item('b2', {})]);
    expect(refused.body['error']).toMatch(/^item 1: /);
    expect((await sent('GET', '/publish/b1/status')).status).toBe(404);
    const taken = await sent('POST', '/batch/publish', [item('b1'), item('b2')]);
    expect(taken.body.items.map(({ publishId }) => publishId)).toEqual(['b1', 'b2']);
  });

  it('say that they never wait (29), and count in text or any content type (2)', async () => {
    const body = {
      recipients: [{ type: 'device', deviceId: 'nobody' }],
      payload: { title: 't' },
      sync: true,
    };
    const answer = await sent('POST', '/publish', body, { 'content-type': 'text/plain' });
    expect(answer.headers['x-service-forced-async']).toBe('publish-api-is-async');
    expect((await sent('POST', '/publish?mode=sync', { ...body, sync: false })).headers).toHaveProperty(
      'x-service-forced-async',
    );
  });
}
