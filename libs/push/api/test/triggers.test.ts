import { describe, expect, it, onTestFinished } from 'vitest';
import { fcmDevice, openScene } from './scene.js';

const RULE = `[[push_rules]]
channel_pattern = "notifications-*"
event_filter = ["done"]
rate_limit_per_second = 2
`;

const event = (more = {}) => ({
  appId: 'shop',
  channel: 'notifications-1',
  event: 'done',
  data: JSON.stringify({ title: 'Done', body: 'It is', left: 1 }),
  id: 'm1',
  ...more,
});

async function withRules() {
  const scene = await openScene('memory', 'memory', {}, RULE);
  onTestFinished(() => scene.close());
  await scene.send('POST', '/deviceRegistrations', fcmDevice('a'));
  await scene.send('POST', '/channelSubscriptions', { channel: 'notifications-1', deviceId: 'a' });
  const triggers = scene.push.triggers();
  return { scene, triggers };
}

describe('a push rule', () => {
  it('makes one push of an event, however often that is told (55)', async () => {
    const { scene, triggers } = await withRules();
    expect(triggers.concerns('notifications-1', 'done')).toBe(true);
    expect(triggers.concerns('notifications-1', 'begun')).toBe(false);
    expect(triggers.concerns('other', 'done')).toBe(false);
    await triggers.onPublished(event());
    await triggers.onPublished(event());
    await expect.poll(() => scene.clouds.arrivals.length).toBe(1);
    expect(scene.clouds.arrivals[0]?.payload).toMatchObject({
      message: { notification: { title: 'Done', body: 'It is' }, data: { data: '{"left":1}' } },
    });
  });

  it('never fails the publish: what does not fit is skipped and counted', async () => {
    const { scene, triggers } = await withRules();
    await triggers.onPublished(event({ data: 'no JSON', id: 'm2' }));
    await triggers.onPublished(event({ data: { title: 'only' }, id: 'm3' }));
    await triggers.onPublished(event({ id: 'm4' }));
    const metrics = await scene.metrics();
    expect(metrics).toMatch(/push_rule_skipped_total\{[^}]*reason="malformed"[^}]*\} 2/);
    expect(metrics).toMatch(/push_rule_skipped_total\{[^}]*reason="rate_limited"[^}]*\} 1/);
  });
});

describe('extras of a publish', () => {
  it('are judged before anything is published, and reach each channel once (56)', async () => {
    const { scene, triggers } = await withRules();
    const icon = triggers.extras('shop', { title: 't', icon: 'http://insecure.example/i.png' });
    await expect(icon).rejects.toThrow(expect.objectContaining({ status: 400 }));
    const extras = await triggers.extras('shop', { title: 't' });
    await extras.checkOpen();
    await extras.publish('notifications-1', 'm1');
    await extras.publish('notifications-1', 'm1');
    await expect.poll(() => scene.clouds.arrivals.length).toBe(1);
  });
});
