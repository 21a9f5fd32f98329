import { afterEach, expect, it } from 'vitest';
import { DRY_PUSH } from '../harness/dry-push.js';
import { onServer } from '../harness/every-app.js';
import { eventually } from '../harness/eventually.js';
import { Mcp, mcpSection, said } from '../harness/mcp.js';
import { tenant } from '../harness/tenant.js';

const SHOP = tenant('shop');
const SECRET = 'very-secret-client-secret';
const ADDRESS = 'secret-registration-token';
const PAYLOAD = { title: 'Hi', body: 'There' };
const device = (id: string) => ({
  id,
  clientId: 'ann',
  formFactor: 'phone',
  platform: 'android',
  timezone: 'Europe/Madrid',
  locale: 'es-ES',
  push: { recipient: { transportType: 'gcm', registrationToken: ADDRESS } },
});

const ids = (page: Record<string, unknown>, name: string): unknown[] =>
  (page['items'] as Record<string, unknown>[]).map((one) => one[name]);

onServer(
  'Push through tools',
  { tenants: [SHOP], env: DRY_PUSH.env, config: { ...mcpSection(), push: { dry_run: true } } },
  (node) => {
    const mcp = new Mcp(() => node.port);
    const used = new Set<string>();
    afterEach(() => mcp.drop());

    const callers = async (name = 'shop') => {
      const { client } = await mcp.connect(name);
      // The client checks structured results against the shapes it was told.
      const { tools } = await client.listTools();
      const call = async (tool: string, given: object = {}) => {
        used.add(tool);
        return said(await client.callTool({ name: tool, arguments: { app_id: 'shop', ...given } }));
      };
      const does = async (tool: string, given: object = {}): Promise<Record<string, unknown>> => {
        const answer = await call(tool, given);
        expect([tool, answer]).toEqual([tool, expect.objectContaining({ isError: false })]);
        return answer.value;
      };
      return { call, does, tools };
    };
    it('keeps credentials, which nobody reads again', async () => {
      const { does } = await callers();
      await does('put_push_credential', { provider: 'hms', hmsAppId: 'open-id', clientSecret: SECRET });
      const listed = JSON.stringify(await does('list_push_credentials'));
      expect(listed).toContain('[REDACTED]');
      expect(listed).not.toContain(SECRET);
      expect(node.process.output).not.toContain(SECRET);
    });

    it('keeps templates, devices and subscriptions', async () => {
      const { does, call } = await callers();
      const template = { templateId: 'welcome', defaultLocale: 'en', locales: { en: PAYLOAD } };
      await does('put_push_template', template);
      expect(ids(await does('list_push_templates'), 'templateId')).toEqual(['welcome']);
      expect(await does('get_push_template', { template_id: 'welcome' })).toMatchObject(template);
      expect(await does('delete_push_template', { template_id: 'welcome' })).toEqual({ ok: true });
      expect((await call('get_push_template', { template_id: 'welcome' })).value).toMatchObject({
        status: 404,
      });

      expect(await does('put_push_device', device('d1'))).toHaveProperty('deviceIdentityToken');
      await does('put_push_device', { ...device('d2'), rotate_identity_token: true });
      expect(ids(await does('list_push_devices', { clientId: 'ann', limit: '10' }), 'id')).toEqual([
        'd1',
        'd2',
      ]);
      expect(await does('get_push_device', { device_id: 'd1' })).toMatchObject({ clientId: 'ann' });
      await does('put_push_subscription', { channel: 'news', deviceId: 'd1' });
      expect(ids(await does('list_push_subscriptions', { channel: 'news' }), 'deviceId')).toEqual(['d1']);
      expect((await does('list_push_channels'))['items']).toEqual(['news']);
      await does('delete_push_subscriptions', { channel: 'news', deviceId: 'd1' });
      await does('delete_push_device', { device_id: 'd1' });
      expect((await call('delete_push_devices')).value).toMatchObject({ code: 'invalid_input', status: 400 });
      expect(await does('delete_push_devices', { clientId: 'ann' })).toMatchObject({ deleted: 1 });
    });

    it('gives the token of a device to those only who may do everything', async () => {
      const { does } = await callers('writer');
      expect(await does('put_push_device', device('d3'))).not.toHaveProperty('deviceIdentityToken');
    });

    it('publishes, and tells what became of it', async () => {
      const { does, call } = await callers();
      await does('put_push_device', device('d4'));
      const recipients = [{ type: 'device', deviceId: 'd4' }];
      const published = await does('publish_push', { publishId: 'p1', recipients, payload: PAYLOAD });
      expect(published).toMatchObject({ publishId: 'p1' });
      await eventually(async () =>
        expect(await does('get_push_publish_status', { publish_id: 'p1' })).toMatchObject({
          state: 'succeeded',
        }),
      );
      const items = [{ publishId: 'p2', recipients, payload: PAYLOAD }];
      await does('publish_push_batch', { items, idempotency_key: 'k1' });
      const later = { publishId: 'p3', recipients, payload: PAYLOAD, notBeforeMs: Date.now() + 3_600_000 };
      const waiting = await does('publish_push', later);
      await does('cancel_scheduled_push', { job_id: waiting['jobId'] ?? 'p3' });
      await does('report_push_delivery_status', {
        publishId: 'p1',
        eventId: 'e1',
        occurredAtMs: Date.now(),
        result: { provider: 'fcm', outcome: 'accepted', attempt: 1, deviceId: 'd4' },
      });
      expect(await does('list_push_dead_letters', { provider: 'fcm' })).toMatchObject({ items: [] });
      expect((await call('replay_push_dead_letter', { dead_letter_id: 'none' })).value).toMatchObject({
        status: 404,
      });
    });

    it('has a tool for all of it, and each was used here', async () => {
      const { tools } = await callers();
      const names = tools.map(({ name }) => name).filter((name) => name.includes('push'));
      expect(names).toHaveLength(22);
      expect([...used].sort()).toEqual(names);
      expect(tools).toHaveLength(51);
      for (const secret of [ADDRESS, SECRET]) expect(node.process.output).not.toContain(secret);
    });
  },
);

onServer(
  'Push under backpressure',
  {
    tenants: [SHOP],
    env: { ...DRY_PUSH.env, PUSH_BACKPRESSURE: 'true', PUSH_BACKPRESSURE_RETRY_AFTER_SECONDS: '17' },
    config: { ...mcpSection(), push: { dry_run: true } },
  },
  (node) => {
    const mcp = new Mcp(() => node.port);
    afterEach(() => mcp.drop());

    it('says through tools when to come again', async () => {
      const { client } = await mcp.connect('shop');
      const given = { recipients: [{ type: 'device', deviceId: 'd' }], payload: PAYLOAD };
      expect(said(await client.callTool({ name: 'publish_push', arguments: given }))).toMatchObject({
        isError: true,
        value: { code: 'rate_limited', status: 429, retry_after_seconds: 17 },
      });
    });
  },
);
