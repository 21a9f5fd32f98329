// Clients that do nothing wrong, while others do everything wrong: what is sent to them must arrive, in order.
import { RawSocketClient } from '@carillon/testing';
import { must } from '../broken.js';
import { signature } from './apps.js';

/** @typedef {import('./apps.js').LiveApp} LiveApp */

const LISTENERS = 4;
const PAUSE_MS = 10;
/** Longer than any message may take on a busy machine. */
const ARRIVE_MS = 20_000;

/** @param {number} port @param {LiveApp} app @param {string} channel */
async function subscribed(port, app, channel) {
  const client = await RawSocketClient.open(port, `/app/${app.key}?protocol=7`, {
    Origin: 'https://a.example.com',
  });
  const hello = JSON.parse(await client.nextText());
  must(hello.event === 'pusher:connection_established', 'an innocent client is let in');
  const socketId = JSON.parse(hello.data).socket_id;
  const auth = `${app.key}:${signature(app, `${socketId}:${channel}`)}`;
  client.sendText(JSON.stringify({ event: 'pusher:subscribe', data: { channel, auth } }));
  const answer = JSON.parse(await client.nextText());
  must(answer.event === 'pusher_internal:subscription_succeeded', 'an innocent client may subscribe');
  return client;
}

/** A steady stream of messages from one client to some others, on a private channel. */
export class Innocents {
  #sent = 0;
  #stopping = false;
  /** @type {RawSocketClient[]} */
  #listeners = [];
  /** @type {string[]} */
  #complaints = [];
  /** @type {Promise<void>[]} */
  #work = [];
  #received = /** @type {number[]} */ ([]);

  /** @param {LiveApp} app @param {RawSocketClient} speaker @param {string} channel */
  constructor(app, speaker, channel) {
    this.app = app;
    this.speaker = speaker;
    this.channel = channel;
  }

  /** How many connections they hold. */
  static SOCKETS = LISTENERS + 1;

  /** @param {number} port @param {LiveApp} app */
  static async start(port, app) {
    const channel = `private-steady-${process.pid}`;
    const group = new Innocents(app, await subscribed(port, app, channel), channel);
    for (let index = 0; index < LISTENERS; index += 1) {
      group.#listeners.push(await subscribed(port, app, channel));
      group.#received.push(0);
      group.#work.push(group.#watched(group.#listen(index)));
    }
    group.#work.push(group.#watched(group.#speak()));
    return group;
  }

  get sent() {
    return this.#sent;
  }

  /** What went wrong so far. */
  get complaints() {
    return this.#complaints;
  }

  /** Ends the stream; resolves when every message has arrived everywhere or time is up. */
  async finish() {
    this.#stopping = true;
    await Promise.all(this.#work);
    this.#received.forEach((received, index) => {
      if (received !== this.#sent)
        this.#complaints.push(`client ${index} got ${received} of ${this.#sent} messages`);
    });
    for (const client of [this.speaker, ...this.#listeners]) client.destroy();
    return this.#complaints;
  }

  /** @param {Promise<void>} work */
  async #watched(work) {
    try {
      await work;
    } catch (error) {
      this.#complaints.push(
        `${this.app.id}: ${error instanceof Error ? error.message : String(error)}`.slice(0, 500),
      );
      this.#stopping = true;
    }
  }

  async #speak() {
    while (!this.#stopping) {
      this.#sent += 1;
      const event = { event: 'client-tick', channel: this.channel, data: { n: this.#sent } };
      this.speaker.sendText(JSON.stringify(event));
      await new Promise((later) => setTimeout(later, PAUSE_MS));
    }
    this.speaker.sendText(JSON.stringify({ event: 'client-end', channel: this.channel, data: {} }));
    // The answer comes after every message was taken, and would come after any complaint about one.
    this.speaker.sendText('{"event":"pusher:ping"}');
    for (;;) {
      const { event } = JSON.parse(await this.speaker.nextText());
      if (event === 'pusher:pong') return;
      must(event === 'pusher_internal:subscription_count', `the speaker gets ${event}`);
    }
  }

  /** @param {number} index */
  async #listen(index) {
    const client = /** @type {RawSocketClient} */ (this.#listeners[index]);
    for (;;) {
      const frame = JSON.parse((await client.next(ARRIVE_MS)).payload.toString());
      if (frame.event === 'pusher:ping') client.sendText('{"event":"pusher:pong"}');
      if (frame.event === 'client-end') return;
      if (frame.event !== 'client-tick') continue;
      const wanted = (this.#received[index] ?? 0) + 1;
      must(frame.data.n === wanted, `message ${frame.data.n} came instead of ${wanted}`);
      this.#received[index] = wanted;
    }
  }
}
