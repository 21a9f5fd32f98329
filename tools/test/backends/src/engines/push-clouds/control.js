// What tests say to the clouds, as `{"do": …, "room": …}`.
import { ANSWERS } from './answers.js';
import { newSubscription } from './web-push.js';

/** @import { Rooms } from './rooms.js' */
/** @import { Answer } from './answer.js' */

/**
 * @typedef {object} Command
 * @property {string} do
 * @property {string} [room]
 * @property {string} [cloud] or the service of its tokens, as in `fcm-token`
 * @property {string} [token] all of them when absent
 * @property {string} [key] PEM of who may sign
 * @property {number} [ms] of `pace`: how long every answer takes
 * @property {string | Answer} [answer] a name of the documentation, or an answer of its own
 * @property {number} [times] always when absent
 * @property {string} [applicationServerKey]
 */

/** @param {Command} command @param {Rooms} rooms @param {{ origin: string, connections: number }} about */
export function control(command, rooms, about) {
  const { do: what, room: name = '', cloud = '', token = '*' } = command;
  if (what === 'about') return about;
  if (what === 'make') return rooms.make(name);
  const room = rooms.named(name);
  if (room === undefined) throw new Error(`there is no room ${name}`);
  switch (what) {
    case 'trust':
      room.trusted.set(cloud, command.key ?? '');
      return;
    case 'answer': {
      const { answer: given, times = Number.POSITIVE_INFINITY } = command;
      const answer = typeof given === 'string' ? ANSWERS[cloud]?.[given] : given;
      if (answer === undefined) throw new Error(`${cloud} has no answer ${JSON.stringify(given)}`);
      const scripts = times === Number.POSITIVE_INFINITY ? [] : (room.scripts.get(`${cloud} ${token}`) ?? []);
      room.scripts.set(`${cloud} ${token}`, [...scripts, { answer, times }]);
      return;
    }
    case 'pace':
      room.answerMs = command.ms ?? 0;
      return;
    case 'arrived':
      return {
        count: room.counts.get(cloud) ?? 0,
        arrived: room.arrived.filter((one) => one.cloud === cloud && (token === '*' || one.token === token)),
      };
    case 'forget-arrived':
      room.arrived.length = 0;
      room.counts.clear();
      return;
    case 'forget-grants':
      room.granted.clear();
      return;
    case 'subscribe': {
      const subscription = newSubscription(command.applicationServerKey ?? '');
      room.subscriptions.set(token, subscription);
      const { p256dh, auth } = subscription;
      return { endpoint: `${about.origin}/${name}/webpush/${token}`, p256dh, auth };
    }
    default:
      throw new Error(`nobody knows how to ${what}`);
  }
}
