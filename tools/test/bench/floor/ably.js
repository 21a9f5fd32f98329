// What the floor does for clients that speak Ably's protocol: as little as lets them go on.
import { packed, unpacked } from '../load/packed.js';
import { parsed } from './body.js';

/** @typedef {{ format: 'json' | 'msgpack' }} Client */

const FORMATS = /** @type {const} */ (['json', 'msgpack']);
const topicOf = (/** @type {string} */ format, /** @type {string} */ channel) => `ably ${format} ${channel}`;
const encoded = (/** @type {string} */ format, /** @type {object} */ frame) =>
  format === 'msgpack' ? packed(frame) : JSON.stringify(frame);

/** @param {import('uWebSockets.js').TemplatedApp} app @param {string} channel @param {object} message */
export function tellAbly(app, channel, message) {
  for (const format of FORMATS) {
    const topic = topicOf(format, channel);
    if (app.numSubscribers(topic) === 0) continue;
    const frame = { action: 15, id: 'x:0', channel, timestamp: 0, messages: [message] };
    app.publish(topic, encoded(format, frame), format === 'msgpack');
  }
}

/** @param {import('uWebSockets.js').TemplatedApp} app */
export function serveAbly(app) {
  app.ws('/', {
    maxPayloadLength: 64 * 1024,
    maxBackpressure: 4 * 1024 * 1024,
    idleTimeout: 120,
    upgrade: (response, request, context) => {
      /** @type {Client} */
      const client = { format: request.getQuery('format') === 'msgpack' ? 'msgpack' : 'json' };
      response.upgrade(
        client,
        request.getHeader('sec-websocket-key'),
        request.getHeader('sec-websocket-protocol'),
        request.getHeader('sec-websocket-extensions'),
        context,
      );
    },
    open: (socket) => {
      const { format } = /** @type {Client} */ (socket.getUserData());
      const details = { connectionKey: 'x', maxIdleInterval: 15_000 };
      socket.send(
        encoded(format, { action: 4, connectionId: 'x', connectionDetails: details }),
        format === 'msgpack',
      );
    },
    message: (socket, message) => {
      const { format } = /** @type {Client} */ (socket.getUserData());
      const bytes = Buffer.from(message);
      const say = (/** @type {object} */ frame) => socket.send(encoded(format, frame), format === 'msgpack');
      const { action, channel, msgSerial, messages } = format === 'msgpack' ? unpacked(bytes) : parsed(bytes);
      if (typeof channel !== 'string') return;
      if (action === 10) {
        socket.subscribe(topicOf(format, channel));
        say({ action: 11, channel });
      } else if (action === 15) {
        for (const one of Array.isArray(messages) ? messages : []) tellAbly(app, channel, Object(one));
        say({ action: 1, msgSerial, count: 1 });
      }
    },
  });
}
