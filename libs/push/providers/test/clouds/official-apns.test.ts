import { whyMissing } from '@carillon/test-backends';
import { Notification, Provider } from 'apn';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type Arrived, CloudRoom, CREDENTIALS } from './room.js';

/** Undocumented member that prepends a path to `/3/device/`, as needed by the stand-in. */
interface WithPath {
  readonly client: { makePath: (type: string, token: string) => string };
}

/** Headers that both clients set; HTTP/2 and the signature of each request determine the others. */
const told = ({ headers, body }: Arrived) => ({
  ...Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('apns-'))),
  scheme: headers['authorization']?.split(' ')[0],
  header: decoded(headers['authorization'], 0),
  claims: Object.keys(decoded(headers['authorization'], 1)).sort(),
  body,
});

const decoded = (authorization: string | undefined, part: number): Record<string, unknown> => {
  const text = authorization?.split(' ')[1]?.split('.')[part] ?? '';
  const { typ: _, ...fields } = JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<
    string,
    unknown
  >;
  return fields;
};

describe.runIf(whyMissing('push-clouds') === null)('the client of APNs', () => {
  it('sends the notification that the public client apn sends', async () => {
    const room = await CloudRoom.open();
    const { keyId, teamId, privateKey } = CREDENTIALS.apns.access;
    const { hostname, port } = new URL(room.about.origin);
    const provider = new Provider({
      token: { key: privateKey, keyId, teamId },
      address: hostname,
      port: Number(port),
      ca: [room.about.authority],
      requestTimeout: 60_000,
    });
    onTestFinished(() => void provider.shutdown());
    (provider as unknown as WithPath).client.makePath = (_, token) => `/${room.name}/apns/3/device/${token}`;
    const ours = await room.open(CREDENTIALS.apns);
    onTestFinished(() => ours.close());

    const request = room.request('apns', 'phone', { expiresAtMs: 5_000 });
    const outcome = await ours.send(request, new AbortController().signal);
    if (outcome.kind !== 'accepted' || outcome.providerMessageId === null) throw new Error(outcome.kind);
    const notification = new Notification({ aps: { alert: { title: 'Hi' } } });
    Object.assign(notification, {
      id: outcome.providerMessageId,
      topic: 'com.example.app',
      pushType: 'alert',
      priority: 10,
      expiry: 5,
    });
    expect(await provider.send(notification, 'phone')).toMatchObject({
      failed: [],
      sent: [{ device: 'phone' }],
    });

    const [first, second] = (await room.arrived('apns')).arrived.map(told);
    expect(second).toEqual(first);
  });
});
