import { dialectOf } from './dialects.js';
import { markedData } from './marker.js';
import { RawSocket } from './raw-socket.js';
import { inParallel, shareOf } from './shares.js';
import { clientPath } from './client-path.js';

const CONNECTS_AT_ONCE = 64;

/**
 * Connections that publish by frames, each with so many on their way that were not answered. A frame of answers may be
 * the answer to one publish only, as the service says it.
 * @param {import('./model.js').LoadContext} context
 * @returns {import('./model.js').Load}
 */
export function frameLoad({ settings, server, share }) {
  const { publish } = dialectOf(server);
  const data = markedData(0, settings.payloadBytes);
  let running = false;
  let refused = 0;
  let lost = 0;
  /** @type {{ socket: RawSocket, channel: string, sent: number, answered: number }[]} */
  const lanes = [];
  /** @param {(typeof lanes)[number]} lane */
  const fill = (lane) => {
    if (!running || publish === null) return;
    for (let free = settings.pipeline - lane.sent + lane.answered; free > 0; free -= 1) {
      lane.socket.say(publish(lane.sent, lane.channel, data));
      lane.sent += 1;
    }
  };

  return {
    prepare: () =>
      inParallel(shareOf(settings.connections, share), CONNECTS_AT_ONCE, async (index) => {
        const socket = new RawSocket(server, clientPath(server));
        const channel = `bench-${(index * share.of + share.index) % settings.channels}`;
        const lane = { socket, channel, sent: 0, answered: 0 };
        lanes.push(lane);
        await socket.open();
        socket.onLost = () => (lost += 1);
        socket.onData = (payload) => {
          lane.answered += 1;
          if (payload.includes('error')) refused += 1;
          fill(lane);
        };
      }),
    start() {
      running = true;
      for (const lane of lanes) fill(lane);
    },
    stop() {
      running = false;
    },
    async close() {
      running = false;
      for (const { socket } of lanes) socket.drop();
    },
    counts: () => ({
      answered: lanes.reduce((sum, { answered }) => sum + answered, 0),
      failed: refused + lost,
    }),
    problem: () => (lost > 0 ? 'connections were lost' : refused > 0 ? 'publishes were refused' : ''),
  };
}
