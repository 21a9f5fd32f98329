import { setTimeout as sleep } from 'node:timers/promises';
import { clientPath } from './client-path.js';
import { Comings, userOf } from './comings.js';
import { at } from './fleet-load.js';
import { pace } from './pacer.js';
import { RawSocket } from './raw-socket.js';
import { RedisCalls } from './redis-calls.js';
import { Schedule } from './schedule.js';
import { inParallel, shareOf } from './shares.js';

const CONNECTS_AT_ONCE = 64;
const STAY_MS = 100;
/** An unsubscription is not answered: so long after it the same connection may come as somebody else. */
const REST_MS = 50;
/** Changes of one visit, and watchers of each channel: one at each node. */
const CHANGES = 2;
const NODES = 2;

/**
 * Connections that join and leave presence channels at a fixed rate, by turns at two nodes, and a watcher of every channel
 * at each node.
 * @param {import('./model.js').LoadContext} context
 * @returns {import('./model.js').Load}
 */
export function presenceChurn({ settings, server, share, stopwatch }) {
  const nodes = [server, at(server, server.otherPort)];
  const path = clientPath(server);
  const { credentials, redisPort = null, host } = server;
  const channelOf = (/** @type {number} */ index) => `presence-bench-${index % settings.channels}`;
  /** @type {RawSocket[]} */
  const sockets = [];
  /** @type {RawSocket[]} */
  const idle = [];
  /** @type {Comings[]} */
  const watchers = [];
  const store = redisPort === null || share.index > 0 ? null : new RedisCalls(host, redisPort);
  let [visits, failed, turn, lost] = [0, 0, share.index, 0];
  let firstProblem = '';
  /** @type {(() => void) | null} */
  let stopPacing = null;

  const open = async (/** @type {import('./model.js').Server} */ node) => {
    const socket = new RawSocket(node, path);
    sockets.push(socket);
    await socket.open();
    socket.onLost = () => {
      lost += 1;
    };
    return socket;
  };
  const watch = async (/** @type {number} */ index) => {
    const node = nodes[index % NODES] ?? server;
    const socket = await open(node);
    const comings = new Comings();
    watchers.push(comings);
    await socket.join(credentials, channelOf(Math.floor(index / NODES)), `watcher-${index}`);
    socket.onData = (payload) => {
      const dueUs = comings.take(payload.toString());
      if (dueUs !== null) stopwatch.arrived(dueUs);
    };
  };
  const visit = async (/** @type {RawSocket} */ socket, /** @type {number} */ dueUs) => {
    turn += share.of;
    const channel = channelOf(turn);
    await socket.join(credentials, channel, userOf(dueUs, `${share.index}-${turn}`));
    await sleep(STAY_MS);
    socket.leave(channel);
    visits += 1;
    await sleep(REST_MS);
    idle.push(socket);
  };
  const fail = (/** @type {Error} */ error) => {
    failed += 1;
    firstProblem ||= error.message;
  };
  const begin = (/** @type {number} */ dueUs) => {
    const socket = idle.shift();
    if (socket === undefined) return fail(new Error('too few connections for so many visits'));
    stopwatch.sent(dueUs);
    return void visit(socket, dueUs).catch(fail);
  };

  return {
    async prepare() {
      if (share.index === 0) await inParallel(settings.channels * NODES, CONNECTS_AT_ONCE, watch);
      await inParallel(shareOf(settings.connections, share), CONNECTS_AT_ONCE, async (index) => {
        idle.push(await open(nodes[index % NODES] ?? server));
      });
    },
    start(startUs) {
      stopPacing = pace(new Schedule(startUs, settings.rate / share.of), begin);
    },
    stop: () => stopPacing?.(),
    async close() {
      stopPacing?.();
      store?.close();
      for (const socket of sockets) socket.drop();
    },
    counts: () => ({
      lost,
      changes: visits * CHANGES,
      expected: visits * CHANGES * NODES,
      received: watchers.reduce((sum, { right }) => sum + right, 0),
      failed: failed + watchers.reduce((sum, { wrong }) => sum + wrong, 0),
      store_calls: store?.calls ?? 0,
    }),
    problem: () => firstProblem || (lost > 0 ? 'connections were lost' : ''),
  };
}
