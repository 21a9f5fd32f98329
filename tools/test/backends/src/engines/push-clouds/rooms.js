// What one test has for itself of the clouds: scripts, keys that are trusted, tokens that were given, what arrived.

/** @import { Answer } from './answer.js' */
/** @import { Subscription } from './web-push.js' */

/**
 * @typedef {object} Arrived
 * @property {string} cloud
 * @property {string} token what the cloud tells devices apart by
 * @property {Record<string, unknown>} headers
 * @property {unknown} body as JSON, or the text that it is; of Web Push what was decrypted
 * @property {string} version of HTTP
 * @property {number} status that it was answered with; 0 none
 */

/** @typedef {{ answer: Answer, times: number }} Script */

const MAX_ROOMS = 1_000;
const MAX_ARRIVED = 2_000;

export class Room {
  /** @type {Map<string, Script[]>} by cloud and token; `*` stands for all tokens */
  scripts = new Map();
  /** @type {Map<string, string>} PEM by cloud */
  trusted = new Map();
  /** @type {Map<string, Set<string>>} by cloud */
  granted = new Map();
  /** @type {Map<string, Subscription>} by name; `*` is whoever is not named */
  subscriptions = new Map();
  /** @type {Arrived[]} the first two thousand */
  arrived = [];
  /** How long every answer takes. */
  answerMs = 0;
  /** @type {Map<string, number>} by cloud */
  counts = new Map();

  /** What the test wants said; undefined: whatever the cloud says. @param {string} cloud @param {string} token */
  scripted(cloud, token) {
    for (const key of [`${cloud} ${token}`, `${cloud} *`]) {
      const scripts = this.scripts.get(key);
      const script = scripts?.[0];
      if (script === undefined) continue;
      script.times -= 1;
      if (script.times <= 0) scripts?.shift();
      return script.answer;
    }
    return undefined;
  }

  /** @param {Arrived} arrived */
  keep(arrived) {
    this.counts.set(arrived.cloud, (this.counts.get(arrived.cloud) ?? 0) + 1);
    if (this.arrived.length < MAX_ARRIVED) this.arrived.push(arrived);
  }

  /** @param {string} cloud */
  grant(cloud) {
    const tokens = this.granted.get(cloud) ?? new Set();
    const token = `granted-${cloud}-${tokens.size + 1}-${Math.random().toString(36).slice(2)}`;
    this.granted.set(cloud, tokens.add(token));
    return token;
  }

  /** @param {string} cloud @param {string | undefined} authorization */
  admits(cloud, authorization = '') {
    return this.granted.get(cloud)?.has(authorization.replace(/^bearer /i, '')) === true;
  }
}

export class Rooms {
  /** @type {Map<string, Room>} */
  #rooms = new Map();

  /** @param {string} name */
  named(name) {
    return this.#rooms.get(name);
  }

  /** A new room, in place of one with the same name. @param {string} name */
  make(name) {
    if (this.#rooms.size >= MAX_ROOMS) throw new Error('too many rooms');
    this.#rooms.set(name, new Room());
  }
}
