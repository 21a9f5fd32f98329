/**
 * Script of the page: one connection subscribes to a private channel, another one triggers a client event there, both
 * with plain WebSockets. Reads `demo` and writes to elements by id.
 */
export const LIVE_BOX = `
const at = (id) => document.getElementById(id);
const show = (text) => {
  at('log').textContent = (text + '\\n' + at('log').textContent).slice(0, 4000);
};
const scheme = location.protocol === 'https:' ? 'wss://' : 'ws://';
at('socket').textContent = scheme + location.host + demo.socketPath + demo.key;
at('http').textContent = location.origin + demo.socketPath.slice(0, -'app/'.length) + 'apps/…';
at('snippet').textContent = "new Pusher('" + demo.key + "', { wsHost: '" + location.hostname + "', wsPort: "
  + (location.port || 80) + ", forceTLS: " + (scheme === 'wss://') + ", cluster: '' });";
at('secret').value = demo.secret ?? '';
const CHANNEL = 'private-welcome';
async function sign(text, secret) {
  const bytes = (value) => new TextEncoder().encode(value);
  const hash = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', bytes(secret), hash, false, ['sign']);
  const signature = new Uint8Array(await crypto.subtle.sign('HMAC', key, bytes(text)));
  return Array.from(signature, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
function connect(name, secret, take) {
  const socket = new WebSocket(scheme + location.host + demo.socketPath + demo.key + '?protocol=7&client=welcome');
  const say = (event, data, channel) => socket.send(JSON.stringify({ event, data, channel }));
  return new Promise((resolve, reject) => {
    socket.onclose = ({ code, reason }) => {
      show(name + ' closed: ' + code + ' ' + reason);
      reject(new Error('closed'));
    };
    socket.onmessage = async ({ data: text }) => {
      const { event, data } = JSON.parse(text);
      if (event === 'pusher:connection_established') {
        const id = JSON.parse(data).socket_id;
        say('pusher:subscribe', { channel: CHANNEL, auth: demo.key + ':' + await sign(id + ':' + CHANNEL, secret) });
      } else if (event === 'pusher_internal:subscription_succeeded') resolve(say);
      else if (event === 'pusher:ping') say('pusher:pong', {});
      else take(event, data);
    };
  });
}
let speak = null;
async function start() {
  const secret = at('secret').value;
  if (secret === '') return show('The secret of the app signs the subscription: type it in and start.');
  await connect('listener', secret, (event, data) => show('heard ' + event + ' ' + JSON.stringify(data)));
  speak = await connect('speaker', secret, (event, data) => show('speaker: ' + event + ' ' + JSON.stringify(data)));
  publish();
}
function publish() {
  if (speak === null) return start().catch(() => {});
  const data = { text: at('text').value };
  speak('client-greeting', data, CHANNEL);
  show('said client-greeting ' + JSON.stringify(data));
}
at('say').onclick = publish;
if (demo.secret !== null) publish();
`;
