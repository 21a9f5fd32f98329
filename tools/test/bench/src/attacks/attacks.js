// Attacks by anonymous sockets of one app on the others. Each is bounded in frames and ends when its sockets are closed.
import { dialectOf } from '../../load/dialects.js';
import { RawSocket } from '../../load/raw-socket.js';

const LARGE = 7000;
const MESSAGES = 100;

/** @typedef {import('./service.js').Service} Service */
/**
 * @typedef {object} Attack
 * @property {string} title
 * @property {number} sockets
 * @property {(service: Service) => Promise<void>} prepare
 * @property {((service: Service) => Promise<RawSocket>) | undefined} [connect] opens one socket; absent: of protocol 2
 * @property {(attack: Attacking) => Promise<number | void>} run resolves with the number of refused requests, if it counts them
 */
/** @typedef {{ service: Service, sockets: readonly RawSocket[], seconds: number }} Attacking */

/** @param {Service} service @param {'ably' | 'v2'} dialect */
const serverOf = ({ port }, dialect) =>
  /** @type {any} */ ({ host: '127.0.0.1', port, authority: `127.0.0.1:${port}`, dialect });

/** @param {Service} service */
export async function connectV2(service) {
  const path = `/app/${service.credentialsOf('attacked').key}?protocol=2`;
  const socket = new RawSocket(serverOf(service, 'v2'), path);
  await socket.open();
  await socket.subscribe('large');
  return socket;
}

const DERIVED = 180;
const ANSWERS_MS = 20_000;
/** Attaches that were refused, by socket. @type {WeakMap<RawSocket, number>} */
const refusals = new WeakMap();
let derived = 0;

/** A connection with as many derived channels as an attack takes, each with a filter of its own. @param {Service} service */
async function connectAbly(service) {
  const server = serverOf(service, 'ably');
  const path = dialectOf(server).path({ app: 'attacked', ...service.credentialsOf('attacked') });
  const socket = new RawSocket(server, path);
  await socket.open();
  const answers = { attached: 0, refused: 0 };
  socket.onData = (payload) => {
    if (payload.includes('"action":11,')) answers.attached += 1;
    else if (payload.includes('"action":9,')) answers.refused += 1;
  };
  for (let at = 0; at < DERIVED; at += 1) {
    const filter = Buffer.from(costly((derived += 1))).toString('base64');
    const channel = `[filter=${filter}]filtered`;
    socket.say(Buffer.from(JSON.stringify({ action: 10, channel, params: { delta: 'vcdiff' } })));
  }
  const untilMs = Date.now() + ANSWERS_MS;
  while (answers.attached + answers.refused < DERIVED && Date.now() < untilMs)
    await new Promise((done) => setTimeout(done, 50));
  socket.onData = null;
  refusals.set(socket, DERIVED - answers.attached);
  return socket;
}

const fill = async (/** @type {Service} */ service) => {
  for (let at = 0; at < MESSAGES; at += 1) await service.publish('attacked', 'large', 'x'.repeat(LARGE));
};
const nothing = async () => {};
const frame = (/** @type {string} */ event, /** @type {object} */ data) =>
  Buffer.from(JSON.stringify({ event, data }));

/** Sends the same frames again and again, so many at a time. @param {Attacking} attack @param {(at: number) => Buffer} frameOf @param {number} burst */
async function flood({ sockets, seconds }, frameOf, burst) {
  const untilMs = Date.now() + 1000 * seconds;
  let at = 0;
  while (Date.now() < untilMs) {
    for (const socket of sockets) for (let sent = 0; sent < burst; sent += 1) socket.say(frameOf((at += 1)));
    await new Promise((done) => setTimeout(done, 250));
  }
}

const history = frame('service:channel_history', { channel: 'large', limit: 100 });
const resume = frame('service:resume', { channel_serials: { large: 0 } });

/** An expression that reads much text, of which there are many that differ. @param {number} at */
const costly = (at) => `length(sort(data.words)) > \`${at}\``;

const words = JSON.stringify({ words: Array.from({ length: 3000 }, (_, at) => `word-${at % 977}`) });

/** Publishes large messages to a channel whose subscribers have filters. @param {Attacking} attack */
async function publishing({ service, seconds }) {
  const untilMs = Date.now() + 1000 * seconds;
  while (Date.now() < untilMs) {
    await service.publish('attacked', 'filtered', words);
    await new Promise((done) => setTimeout(done, 200));
  }
}

/** About 40 kB. */
const longWords = JSON.stringify({ words: Array.from({ length: 3600 }, (_, at) => `word-${at % 977}`) });

/** Publishes one large message to the derived channels. @param {Attacking} attack */
async function deriving({ sockets, seconds }) {
  const messages = [{ name: 'large', data: longWords, encoding: 'json' }];
  const publish = { action: 15, msgSerial: 0, channel: 'filtered', messages };
  sockets[0]?.say(Buffer.from(JSON.stringify(publish)));
  await new Promise((done) => setTimeout(done, 1000 * seconds));
  return sockets.reduce((sum, socket) => sum + (refusals.get(socket) ?? 0), 0);
}

/** @type {readonly Attack[]} */
export const ATTACKS = [
  {
    title: '3,000 channel_history frames of one socket',
    sockets: 1,
    prepare: fill,
    run: (attack) => flood(attack, () => history, Math.ceil(3000 / (4 * attack.seconds))),
  },
  {
    title: '40 sockets that read histories',
    sockets: 40,
    prepare: fill,
    run: (attack) => flood(attack, () => history, 10),
  },
  {
    title: '500 rewinds of one socket',
    sockets: 1,
    prepare: fill,
    run: (attack) =>
      flood(
        attack,
        () => frame('pusher:subscribe', { channel: 'large', rewind: 100 }),
        Math.ceil(500 / (4 * attack.seconds)),
      ),
  },
  {
    title: '1,000 resumes of one socket',
    sockets: 1,
    prepare: fill,
    run: (attack) => flood(attack, () => resume, Math.ceil(1000 / (4 * attack.seconds))),
  },
  {
    title: '300 pattern filters of one socket',
    sockets: 1,
    prepare: nothing,
    run: async (attack) => {
      for (let at = 0; at < 300; at += 1)
        for (const socket of attack.sockets)
          socket.say(
            frame('pusher:subscribe', {
              channel: `f*${''.padEnd(at % 7, 'd')}`,
              filter: { expression: costly(at) },
            }),
          );
      await publishing(attack);
    },
  },
  {
    title: '180 derived channels with deltas of each of 3 Ably sockets',
    sockets: 3,
    prepare: nothing,
    connect: connectAbly,
    run: deriving,
  },
  {
    title: '300 sockets with a filter each',
    sockets: 300,
    prepare: nothing,
    run: async (attack) => {
      for (const [at, socket] of attack.sockets.entries())
        socket.say(frame('pusher:subscribe', { channel: 'filtered', filter: { expression: costly(at) } }));
      await publishing(attack);
    },
  },
];
