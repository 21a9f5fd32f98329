import { expect, it } from 'vitest';
import { MetaWatch } from '../src/meta/meta-watch.js';

/** A watch with its own clock, and its requests and announcements. */
function scene(isAlone = false) {
  const state = { nowMs: 0, asked: [] as string[], told: [] as string[], begun: [] as string[] };
  const watch = new MetaWatch({
    isAlone,
    broker: {
      ask: (_kind, appId, about) => {
        state.asked.push(`${appId} ${JSON.stringify(about)}`);
        return Promise.reject(new Error('away'));
      },
    },
    announcements: {
      announce: ({ appId, channel, fact }) => void state.told.push(`${appId} ${channel} ${fact.kind}`),
    },
    onTrouble: () => {},
    nowMs: () => state.nowMs,
  });
  watch.onBegin = (appId, channel) => void state.begun.push(`${appId} ${channel}`);
  return { state, watch };
}

const COUNTED = { kind: 'channel_counted', channel: 'orders', count: 1, serial: 1 } as const;

it('tells of channels that somebody watches, and of no other', async () => {
  const { state, watch } = scene();
  expect(watch.begin('shop', 'orders')).toBeUndefined();
  watch.announce('shop', 'orders', COUNTED);
  // An unreachable broker does not reject the subscription.
  await watch.begin('shop', '[meta]orders');
  expect(state.asked).toEqual(['shop {"channels":["orders"]}']);
  for (const [app, channel] of [
    ['shop', 'orders'],
    ['shop', 'other'],
    ['else', 'orders'],
  ] as const)
    watch.announce(app, channel, COUNTED);
  expect(state.told).toEqual(['shop [meta]orders channel_counted']);
  watch.stop();
});

it('forgets what others watched when they do not say it again, and never what is watched here', async () => {
  const { state, watch } = scene();
  watch.told('shop', ['orders', 'orders']);
  await watch.begin('shop', '[meta]here');
  expect(state.begun).toEqual(['shop orders', 'shop here']);
  state.nowMs = 15_001;
  expect([watch.has('shop', 'orders'), watch.has('shop', 'here')]).toEqual([false, true]);
  watch.told('shop', ['orders']);
  expect(state.begun).toEqual(['shop orders', 'shop here', 'shop orders']);
  watch.end('shop', '[meta]here');
  expect(watch.has('shop', 'here')).toBe(false);
});

it('asks nobody where there is nobody', () => {
  const { state, watch } = scene(true);
  expect(watch.begin('shop', '[meta]orders')).toBeUndefined();
  expect([watch.has('shop', 'orders'), state.asked]).toEqual([true, []]);
  watch.end('shop', '[meta]orders');
  expect(watch.has('shop', 'orders')).toBe(false);
});
