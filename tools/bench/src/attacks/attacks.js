// Attacks by anonymous sockets of one app on the others. Each is bounded in frames and ends when its sockets are closed.
/** @import { RawSocket } from '../../load/raw-socket.js' */

const LARGE = 7000;
const MESSAGES = 100;

/** @typedef {import('./service.js').Service} Service */
/** @typedef {{ title: string, sockets: number, prepare: (service: Service) => Promise<void>, run: (attack: Attacking) => Promise<void> }} Attack */
/** @typedef {{ service: Service, sockets: readonly RawSocket[], seconds: number }} Attacking */

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
