// The two ways to say something to a channel: as one of its clients, and as the customer's own server.
import { prepareSigningKey, signRequest } from '@carillon/auth';
import { rawHttp } from '@carillon/testing';
import { must } from '../broken.js';
import { subscribed } from './innocent-client.js';

/** @typedef {import('./apps.js').LiveApp} LiveApp */

/**
 * @typedef {object} Speaker
 * @property {number} sockets connections it holds
 * @property {(event: string, data: object) => Promise<void>} say
 * @property {() => Promise<void>} finish throws when it was told of anything wrong
 */

/** A client event on a socket. @param {number} port @param {LiveApp} app @param {string} channel @returns {Promise<Speaker>} */
export async function clientSpeaker(port, app, channel) {
  const client = await subscribed(port, app, channel);
  return {
    sockets: 1,
    say: async (event, data) => client.sendText(JSON.stringify({ event, channel, data })),
    async finish() {
      // The answer comes after every message was taken, and would come after any complaint about one.
      client.sendText('{"event":"pusher:ping"}');
      for (let event = ''; event !== 'pusher:pong';) {
        event = JSON.parse(await client.nextText()).event;
        must(/^pusher(:p[io]ng|_internal:subscription_count)$/.test(event), `the speaker gets ${event}`);
      }
      client.destroy();
    },
  };
}

/** A signed request for each message. @param {number} port @param {LiveApp} app @param {string} channel @returns {Speaker} */
export function serverSpeaker(port, app, channel) {
  const key = prepareSigningKey({ appId: app.id, key: app.key, secret: app.secret });
  const rawPath = `/apps/${app.id}/events`;
  return {
    sockets: 0,
    async say(name, data) {
      const body = JSON.stringify({ name, channel, data });
      const query = signRequest({ method: 'POST', rawPath, body }, key, Date.now() / 1000);
      const headers = { 'Content-Type': 'application/json' };
      const answer = await rawHttp(port, { method: 'POST', path: `${rawPath}?${query}`, headers, body });
      must(answer.status === 200, `publishing is answered ${answer.status} ${answer.body}`);
    },
    finish: async () => undefined,
  };
}
