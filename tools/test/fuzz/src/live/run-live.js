// The whole process under fire: hostile clients on all sides, innocent ones among them, and a look at the process after.
import { RawSocketClient } from '@carillon/testing';
import { problemOf } from '../chunk.js';
import { must } from '../broken.js';
import { OPEN, STEADY } from './apps.js';
import { act } from './hostile.js';
import { Innocents } from './innocents.js';
import { ServerUnderFire } from './server.js';
import { sessionOf } from './session.js';

/** @typedef {import('../chunk.js').ChunkReport} ChunkReport */

const CLIENTS_AT_ONCE = 16;
const MAX_LINGERING = 100;
/** A failure is saved with the sessions before it, for they may have laid the ground. */
const SESSIONS_SAVED = 40;
/** After this part of the inputs everything is loaded and compiled that will be. */
const WARM_UP = 0.25;
const GONE_MS = 30_000;
const MEMORY_SLACK_BYTES = 96 * 1024 * 1024;

/** One run against one server. */
class LiveRun {
  #next = 0;
  /** @type {import('./hostile.js').Leave[]} */
  #lingering = [];
  /** @type {Map<string, number>} */
  outcomes = new Map();
  inputs = 0;
  /** @type {import('../chunk.js').Failure[]} */
  failures = [];

  /** @param {ServerUnderFire} server @param {number} seed */
  constructor(server, seed) {
    this.server = server;
    this.seed = seed;
  }

  /** Hostile clients side by side until so many inputs were sent or something broke. @param {number} inputs */
  async fire(inputs) {
    const client = async () => {
      while (this.inputs < inputs && this.failures.length === 0) await this.session(this.#next++);
    };
    await Promise.all(Array.from({ length: CLIENTS_AT_ONCE }, client));
  }

  /** @param {number} index */
  async session(index) {
    const session = sessionOf(this.seed, index);
    this.inputs += session.inputs;
    const tell = (/** @type {string} */ outcome) => {
      this.outcomes.set(outcome, (this.outcomes.get(outcome) ?? 0) + 1);
    };
    try {
      const left = await act(this.server.port, session, tell);
      if (left !== null) this.#lingering.push(left);
      if (this.#lingering.length > MAX_LINGERING) await this.#lingering.shift()?.();
    } catch (error) {
      this.fail(index, error);
    }
  }

  /** @param {number} index @param {unknown} error @param {string} [place] */
  fail(index, error, place = `session ${index}`) {
    const first = Math.max(0, index - SESSIONS_SAVED);
    const sessions = Array.from({ length: index - first }, (_, at) => first + at);
    const input = Buffer.from(JSON.stringify({ seed: this.seed, sessions: [...sessions, index] }));
    this.failures.push({ target: 'live', seed: this.seed, place, input, problem: problemOf(error) });
  }

  /** Something is wrong that no one session is known to have caused. @param {unknown} error */
  failAtTheEnd(error) {
    this.fail(this.#next, error, 'the end');
  }

  /** Nobody hostile stays, and the service knows. @param {number} innocents connections that do stay */
  async leave(innocents) {
    for (const leave of this.#lingering) await leave();
    await this.#gone(innocents);
  }

  /** @param {number} innocents */
  async #gone(innocents) {
    const deadline = Date.now() + GONE_MS;
    for (;;) {
      const connected = await this.server.metric('service_connected');
      if (connected === innocents) return;
      must(Date.now() < deadline, `${connected} connections are still counted, ${innocents} are there`);
      await new Promise((later) => setTimeout(later, 50));
    }
  }
}

/** Where nobody else is, and among the hostile ones. @param {number} port */
async function startInnocents(port) {
  return [
    await Innocents.start(port, STEADY, 'client'),
    await Innocents.start(port, OPEN, 'client'),
    await Innocents.start(port, OPEN, 'server'),
  ];
}

/** @param {{ seed: number, inputs: number }} wanted @returns {Promise<ChunkReport>} */
export async function runLive({ seed, inputs }) {
  const server = await ServerUnderFire.start();
  const run = new LiveRun(server, seed);
  try {
    const groups = await startInnocents(server.port);
    await run.fire(inputs * WARM_UP);
    const warmBytes = await server.memoryBytes();
    await run.fire(inputs);
    await run.leave(groups.reduce((sum, { sockets }) => sum + sockets, 0));
    for (const group of groups) for (const complaint of await group.finish()) run.failAtTheEnd(complaint);
    await checkAfter(server, warmBytes);
    run.outcomes.set(
      'messages to innocents',
      groups.reduce((sum, { sent }) => sum + sent, 0),
    );
  } catch (error) {
    run.failAtTheEnd(error);
  } finally {
    const ailment = await server.ailment();
    if (ailment !== null) run.failAtTheEnd(ailment);
    await server.stop();
  }
  return { target: 'live', inputs: run.inputs, outcomes: run.outcomes, failures: run.failures };
}

/** @param {ServerUnderFire} server @param {number} warmBytes */
async function checkAfter(server, warmBytes) {
  const memory = await server.memoryBytes();
  const most = warmBytes * 1.5 + MEMORY_SLACK_BYTES;
  must(memory < most, `the process holds ${memory} bytes after ${warmBytes} when warm`);
  const client = await RawSocketClient.open(server.port, `/app/${OPEN.key}?protocol=7`);
  must(
    JSON.parse(await client.nextText()).event === 'pusher:connection_established',
    'new clients are let in',
  );
  client.sendText('{"event":"pusher:ping","data":{}}');
  must(JSON.parse(await client.nextText()).event === 'pusher:pong', 'new clients are answered');
  client.destroy();
}

/** Does saved sessions again, one after the other. @param {Buffer} saved @returns {Promise<string>} */
export async function replayLive(saved) {
  const { seed, sessions } = JSON.parse(saved.toString());
  const server = await ServerUnderFire.start();
  const run = new LiveRun(server, seed);
  try {
    for (const index of sessions) await run.session(index);
    const ailment = await server.ailment();
    must(ailment === null, String(ailment));
    const [failure] = run.failures;
    must(failure === undefined, `${failure?.place}: ${failure?.problem}`);
    return `${sessions.length} sessions, and the service is well`;
  } finally {
    await server.stop();
  }
}
