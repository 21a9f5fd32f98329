import { RawSocketClient } from '@carillon/testing';
import { must } from '../broken.js';
import { signature } from './apps.js';

/** A client that has joined a private channel, as it should be done.
 * @param {number} port @param {import('./apps.js').LiveApp} app @param {string} channel */
export async function subscribed(port, app, channel) {
  const client = await RawSocketClient.open(port, `/app/${app.key}?protocol=7`);
  const hello = JSON.parse(await client.nextText());
  must(hello.event === 'pusher:connection_established', 'an innocent client is let in');
  const socketId = JSON.parse(hello.data).socket_id;
  const auth = `${app.key}:${signature(app, `${socketId}:${channel}`)}`;
  client.sendText(JSON.stringify({ event: 'pusher:subscribe', data: { channel, auth } }));
  const answer = JSON.parse(await client.nextText());
  must(answer.event === 'pusher_internal:subscription_succeeded', 'an innocent client may subscribe');
  return client;
}
