import { clientPath } from './client-path.js';
import { markedTime } from './marker.js';
import { Publisher } from './publisher.js';
import { RawSocket } from './raw-socket.js';
import { inParallel, shareOf } from './shares.js';

const CONNECTS_AT_ONCE = 64;
/** Connections of this process that also read the time out of each message; the rest only count. */
const MAX_TIMED = 64;
/** Messages of the handshake: greeting and subscription. */
const HANDSHAKE_MESSAGES = 2;

/**
 * Subscribers spread over channels, and a publisher in the first process unless the rate is 0.
 * @param {import('./model.js').LoadContext} context
 * @returns {import('./model.js').Load}
 */
export function pubsubLoad(context) {
  const { settings, server, share, stopwatch, prefix = 'bench' } = context;
  const own = shareOf(settings.connections, share);
  const timedEvery = Math.max(1, Math.ceil(own / MAX_TIMED));
  const path = clientPath(server);
  /** @type {RawSocket[]} */
  const sockets = [];
  let lost = 0;
  const subscribersOf = (/** @type {number} */ channel) =>
    shareOf(settings.connections, { index: channel, of: settings.channels });
  const to = { ...context, server: context.publishTo ?? server };
  const publisher = share.index === 0 && settings.rate > 0 ? new Publisher(to, subscribersOf) : null;

  const timed = (/** @type {Buffer} */ payload) => {
    const dueUs = markedTime(payload);
    if (dueUs !== null) stopwatch.arrived(dueUs);
  };
  const connect = async (/** @type {number} */ index) => {
    const socket = new RawSocket(server, path);
    sockets.push(socket);
    await socket.open();
    await socket.subscribe(`${prefix}-${(index * share.of + share.index) % settings.channels}`);
    socket.onLost = () => {
      lost += 1;
    };
    if (index % timedEvery === 0) socket.onData = timed;
  };

  return {
    async prepare() {
      await inParallel(own, CONNECTS_AT_ONCE, connect);
      await publisher?.prepare();
    },
    start: (startUs) => publisher?.start(startUs),
    stop: () => publisher?.stop(),
    async close() {
      publisher?.close();
      for (const socket of sockets) socket.drop();
    },
    counts: () => ({
      lost,
      received: sockets.reduce((sum, socket) => sum + socket.messages - HANDSHAKE_MESSAGES, 0),
      published: publisher?.published ?? 0,
      failed: (publisher?.failed ?? 0) + (publisher?.skipped ?? 0),
      expected: publisher?.expected ?? 0,
    }),
    problem: () => publisher?.problem || (lost > 0 ? 'connections were lost' : ''),
  };
}
