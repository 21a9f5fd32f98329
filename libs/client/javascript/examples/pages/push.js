import { BrowserPush, PUSH_CHANGED, PUSH_MESSAGE } from '@carillon/client/push';
import { forwardTo } from '@carillon/client';
import { lines, settings, tell } from './common.js';

const CHANNEL = 'offers';
const push = new BrowserPush({
  api: forwardTo(`/carillon${location.search}`),
  vapidPublicKey: settings.vapidPublicKey,
  serviceWorker: '/service-worker.js',
});
const say = (text) => (document.querySelector('#device').textContent = text);
const click = (selector, work) =>
  document
    .querySelector(selector)
    .addEventListener('click', () => work().catch((error) => say(error.message)));

async function register() {
  const id = await push.register();
  await push.device.subscribe(CHANNEL);
  say(`This browser is the device ${id}`);
}

click('#on', register);
click('#off', async () => {
  await push.unregister();
  say('');
});
click('#test', () => tell('/notify', { channel: CHANNEL, title: 'An offer' }));

const heard = [];
navigator.serviceWorker?.addEventListener('message', ({ data }) => {
  if (data.type === PUSH_CHANGED) void register();
  if (data.type !== PUSH_MESSAGE) return;
  heard.push(data.notification?.title ?? JSON.stringify(data.data));
  lines('#heard', heard);
});
Object.assign(globalThis, { push, heard });
