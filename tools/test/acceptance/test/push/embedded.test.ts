import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engine, whyMissing } from '@carillon/test-backends';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../harness/eventually.js';
import { Node } from '../harness/node.js';
import { signedQuery } from '../harness/signatures.js';
import { tenant } from '../harness/tenant.js';

const SHOP = tenant('shop');
const DEVICES = Array.from({ length: 12 }, (_, index) => `d${String(index).padStart(2, '0')}`);
const [FIRST = ''] = DEVICES;

describe.runIf(whyMissing('push-clouds') === null)('push of a server on what comes along', () => {
  const folder = mkdtempSync(join(tmpdir(), 'carillon-push-'));
  const room = `r${randomBytes(6).toString('hex')}`;
  let node: Node;

  const say = async (command: object): Promise<Record<string, unknown>> => {
    const { url } = await engine('push-clouds');
    const answer = await fetch(url, { method: 'POST', body: JSON.stringify({ room, ...command }) });
    if (!answer.ok) throw new Error(await answer.text());
    return (await answer.json()) as Record<string, unknown>;
  };
  const ask = async (method: string, below: string, body?: object): Promise<Record<string, unknown>> => {
    const path = `/apps/${SHOP.id}/push${below}`;
    const text = body === undefined ? undefined : JSON.stringify(body);
    const query = signedQuery(SHOP, method, path, {}, text);
    const asked = { method, ...(text === undefined ? {} : { body: text }) };
    const answer = await fetch(`http://127.0.0.1:${node.port}${path}?${query}`, asked);
    const said = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${below}: HTTP ${answer.status} ${said}`);
    return JSON.parse(said) as Record<string, unknown>;
  };
  const publish = (publishId: string, more: object = {}) =>
    ask('POST', '/publish', {
      publishId,
      recipients: [{ type: 'channel', channel: 'offers' }],
      payload: { title: 'Hi', body: 'There' },
      ...more,
    });
  /** Devices that heard so often. */
  const heard = async (times: number): Promise<string[]> => {
    const { arrived } = (await say({ do: 'arrived', cloud: 'fcm' })) as { arrived: { token: string }[] };
    return DEVICES.filter((device) => arrived.filter(({ token }) => token === device).length === times);
  };

  beforeAll(async () => {
    await say({ do: 'make' });
    const { origin, authority } = (await say({ do: 'about' })) as { origin: string; authority: string };
    const certificate = join(folder, 'authority.pem');
    writeFileSync(certificate, authority);
    await say({ do: 'answer', cloud: 'fcm', answer: { body: { name: 'projects/p/messages/1' } } });
    node = new Node('server', {
      tenants: [SHOP],
      env: {
        HISTORY_ENABLED: 'true',
        DATABASE_POSTGRES_EMBEDDED_PATH: join(folder, 'data'),
        NODE_EXTRA_CA_CERTS: certificate,
        PUSH_STORAGE_DRIVER: 'postgres',
        PUSH_ALLOW_MEMORY_DRIVERS: 'true',
        PUSH_DISPATCH_MAX_OUTBOUND_REQUESTS: '1',
        PUSH_REPAIR_INTERVAL_SECS: '1',
        PUSH_FCM_ENABLED: 'true',
        FCM_ENDPOINT: `${origin}/${room}/fcm`,
        FCM_PROVIDER_TOKEN: 'a-token',
        FCM_PROJECT_ID: 'p',
      },
    });
    await node.start();
    for (const id of DEVICES) {
      const recipient = { transportType: 'gcm', registrationToken: id };
      const rest = { formFactor: 'phone', platform: 'android', timezone: 'UTC', locale: 'en' };
      await ask('POST', '/deviceRegistrations', { id, ...rest, push: { recipient } });
      await ask('POST', '/channelSubscriptions', { channel: 'offers', deviceId: id });
    }
  });
  afterAll(async () => {
    await node.process.kill();
    rmSync(folder, { recursive: true });
  });

  it('goes on where the process was killed, and beside a history', { timeout: 90_000 }, async () => {
    await say({ do: 'answer', cloud: 'fcm', answer: { act: 'hang' }, times: 1, token: FIRST });
    await publish('now');
    await publish('later', { notBeforeMs: Date.now() + 10_000 });
    // One by one: the first is under way, the others are in the memory of the process.
    await eventually(async () => expect(await heard(1)).toEqual([FIRST]), 15_000);
    await node.process.kill('SIGKILL');
    await node.start();
    const others = DEVICES.slice(1);
    await eventually(async () => {
      expect(await ask('GET', '/publish/now/status')).toMatchObject({
        state: 'dispatching',
        counters: { planned: DEVICES.length, succeeded: others.length },
      });
    }, 30_000);
    await eventually(async () => {
      expect(await ask('GET', '/publish/later/status')).toMatchObject({ state: 'succeeded' });
    }, 30_000);
    expect(await heard(2)).toEqual(DEVICES);
    const { items } = (await ask('GET', '/deviceRegistrations')) as { items: unknown[] };
    expect(items).toHaveLength(DEVICES.length);
    expect(await node.stop()).toBe(0);
    expect(node.complaints()).toEqual([]);
  });
});
