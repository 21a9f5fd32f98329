// Clients that do nothing wrong, while others do everything wrong: what is sent to them must arrive, in order.
import { must } from '../broken.js';
import { subscribed } from './innocent-client.js';
import { clientSpeaker, serverSpeaker } from './speakers.js';

/** @typedef {import('./apps.js').LiveApp} LiveApp */
/** @typedef {import('./speakers.js').Speaker} Speaker */
/** @typedef {{ client: import('@carillon/testing').RawSocketClient, received: number }} Listener */

const LISTENERS = 4;
const PAUSE_MS = 10;
/** Longer than any message may take on a busy machine. */
const ARRIVE_MS = 20_000;

/** A steady stream of messages to some clients of a private channel. */
export class Innocents {
  #sent = 0;
  #stopping = false;
  /** @type {Listener[]} */
  #listeners = [];
  /** @type {string[]} */
  #complaints = [];
  /** @type {Promise<void>[]} */
  #work = [];

  /** @param {string} name @param {Speaker} speaker */
  constructor(name, speaker) {
    this.name = name;
    this.speaker = speaker;
  }

  /** The stream comes from a client, or from the customer's own server.
   * @param {number} port @param {LiveApp} app @param {'client' | 'server'} origin */
  static async start(port, app, origin) {
    const channel = `private-steady-${origin}-${process.pid}`;
    const speaker =
      origin === 'client' ? await clientSpeaker(port, app, channel) : serverSpeaker(port, app, channel);
    const group = new Innocents(`${app.id}, from a ${origin}`, speaker);
    for (let left = LISTENERS; left > 0; left -= 1) {
      const listener = { client: await subscribed(port, app, channel), received: 0 };
      group.#listeners.push(listener);
      group.#work.push(group.#watched(group.#listen(listener)));
    }
    group.#work.push(group.#watched(group.#speak()));
    return group;
  }

  /** Messages so far. */
  get sent() {
    return this.#sent;
  }

  /** How many connections they hold. */
  get sockets() {
    return this.#listeners.length + this.speaker.sockets;
  }

  /** Ends the stream; resolves with what went wrong, when every message has arrived everywhere or time is up. */
  async finish() {
    this.#stopping = true;
    await Promise.all(this.#work);
    for (const { client, received } of this.#listeners) {
      if (received !== this.#sent) this.#complain(`${received} of ${this.#sent} messages came`);
      client.destroy();
    }
    return this.#complaints;
  }

  /** @param {string} text */
  #complain(text) {
    this.#complaints.push(`${this.name}: ${text}`.slice(0, 500));
  }

  /** @param {Promise<void>} work */
  async #watched(work) {
    try {
      await work;
    } catch (error) {
      this.#complain(error instanceof Error ? error.message : String(error));
      this.#stopping = true;
    }
  }

  async #speak() {
    while (!this.#stopping) {
      this.#sent += 1;
      await this.speaker.say('client-tick', { n: this.#sent });
      await new Promise((later) => setTimeout(later, PAUSE_MS));
    }
    await this.speaker.say('client-end', {});
    await this.speaker.finish();
  }

  /** @param {Listener} listener */
  async #listen(listener) {
    for (;;) {
      const { event, data } = JSON.parse((await listener.client.next(ARRIVE_MS)).payload.toString());
      if (event === 'client-end') return;
      if (event === 'pusher:ping') listener.client.sendText('{"event":"pusher:pong"}');
      if (event !== 'client-tick') continue;
      // What comes from a server is a string.
      const { n } = typeof data === 'string' ? JSON.parse(data) : data;
      must(n === listener.received + 1, `message ${n} came after ${listener.received}`);
      listener.received = n;
    }
  }
}
