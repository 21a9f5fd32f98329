import { generateKeyPairSync } from 'node:crypto';
import { generateVapidKeys, rejected, retryable } from '@carillon/push-providers';
import { beforeAll, expect, it } from 'vitest';
import { fcmDevice, type Answer, type Scene } from '../scene.js';
import { isOver } from './parts.js';

const MARK = 'very-secret';
const pem = (namedCurve?: string): string => {
  const { privateKey } =
    namedCurve === undefined
      ? generateKeyPairSync('rsa', { modulusLength: 2048 })
      : generateKeyPairSync('ec', { namedCurve });
  return privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
};

/** The part of a key in which it cannot be mistaken for anything else. */
const middleOf = (key: string): string => key.split('\n')[2] ?? key;

/** Secrets must not appear in answers, logs or metrics of a whole run. */
export function secrets(open: () => Scene): void {
  let scene: Scene;
  beforeAll(() => {
    scene = open();
  });

  it('tells none of them, in answers, logs, metrics, or errors (8)', async () => {
    const said: string[] = [];
    const ask = async (method: string, path: string, body?: unknown): Promise<Answer> => {
      const answer = await scene.send(method, path, body);
      said.push(answer.text);
      return answer;
    };
    const [rsa, ec] = [pem(), pem('P-256')];
    const { publicKey, privateKey } = await generateVapidKeys();
    const auth = Buffer.from(`${MARK}-auth`).toString('base64url').slice(0, 22);
    const credentials = {
      fcm: {
        serviceAccountJson: {
          client_email: 'a@b.example',
          private_key: rsa,
          private_key_id: 'id',
          project_id: 'p',
        },
      },
      apns: { teamId: 'team', keyId: 'key', privateKey: ec },
      webpush: { publicKey, privateKey },
      hms: { hmsAppId: 'open-id', clientSecret: `${MARK}-hms` },
      wns: { packageSid: 'open-sid', clientSecret: `${MARK}-wns` },
    };
    const recipients = {
      gcm: { registrationToken: `${MARK}-gcm` },
      apns: { deviceToken: `${MARK}-apns` },
      web: { endpoint: `https://push.example/${MARK}-web`, p256dh: publicKey, auth },
      hms: { registrationToken: `${MARK}-registration` },
      wns: { channelUri: `https://a.notify.windows.com/?token=${MARK}-channel` },
    };
    for (const [provider, body] of Object.entries(credentials)) {
      const credentialId = `secrets-${provider}`;
      expect((await ask('POST', `/credentials/${provider}`, { ...body, credentialId })).status).toBe(201);
      expect((await ask('POST', `/credentials/${provider}`, { ...body, version: 0 })).status).toBe(400);
    }
    await ask('POST', '/credentials/hms', { hmsAppId: 'a', clientSecret: { text: `${MARK}-shape` } });
    const identityTokens: string[] = [];
    for (const [transportType, address] of Object.entries(recipients)) {
      const push = { recipient: { transportType, ...address } };
      // The identity token is returned once, by the registration.
      const { body, status } = await scene.send(
        'POST',
        '/deviceRegistrations',
        fcmDevice(`secrets-${transportType}`, { push, clientId: 'secrets' }),
      );
      expect(status).toBe(201);
      identityTokens.push(String(body['deviceIdentityToken']));
      await ask('POST', '/channelSubscriptions', {
        channel: 'secrets',
        deviceId: `secrets-${transportType}`,
      });
      await ask('POST', '/deviceRegistrations', fcmDevice('bad', { push, formFactor: 'brick' }));
    }
    const outcomes = [
      () => rejected('provider_rejected', 'unknown', `no ${MARK}`),
      () => rejected('auth_failure', 'credential_auth', `token ${MARK}`),
      () =>
        retryable('unavailable', 'device_transient', `https://push.example/${MARK}`, { deviceOnly: true }),
      () => {
        throw new Error('a client that fails');
      },
    ];
    for (const [index, outcome] of outcomes.entries()) {
      scene.clouds.answer(outcome);
      const publishId = `secrets-${index}`;
      const raw = Object.entries(recipients).map(([transportType, address]) => ({
        type: 'recipient',
        recipient: { transportType, ...address },
      }));
      const targets = [{ type: 'channel', channel: 'secrets' }, ...raw];
      await ask('POST', '/publish', { publishId, recipients: targets, payload: { title: 'Open' } });
      await scene.until(publishId, isOver);
      await ask('GET', `/publish/${publishId}/status`);
      await ask('POST', '/publish', { recipients: [{ ...raw[0], type: 'nobody' }], payload: { title: 't' } });
    }
    for (const list of [
      'credentials',
      'templates',
      'deviceRegistrations',
      'channelSubscriptions',
      'deadLetters',
    ])
      await ask('GET', `/${list}?limit=1000`);
    const listed = await ask('GET', '/credentials?limit=1000');
    const hms = { hmsAppId: 'open-id', clientSecret: '[REDACTED]' };
    expect(listed.body.items).toContainEqual(
      expect.objectContaining({ credential_id: 'secrets-hms', material: hms }),
    );
    expect(listed.body.items).toContainEqual(
      expect.objectContaining({
        credential_id: 'secrets-fcm',
        material: expect.objectContaining({ serviceAccountJson: '[REDACTED]', project_id: 'p' }),
      }),
    );
    const all = [...said, scene.logged(), await scene.metrics()].join('\n');
    const hidden = [
      MARK,
      'secret-token-of',
      'static-fcm',
      'a master key',
      'shop-secret',
      'hmac-sha256',
      auth,
    ];
    for (const text of [...hidden, middleOf(rsa), middleOf(ec), privateKey, ...identityTokens])
      expect([text, all.includes(text)]).toEqual([text, false]);
  });
}
