import { setTimeout as sleep } from 'node:timers/promises';
import { RawSocket } from './raw-socket.js';
import { shareOf } from './shares.js';

/** Pause of a slot whose connection failed, so that a refusing server is not hammered. */
const PAUSE_AFTER_FAILURE_MS = 50;

/**
 * A fixed number of slots, each doing the same short life of a connection over and over.
 * @param {import('./model.js').LoadContext} context
 * @param {(socket: RawSocket, slot: number) => Promise<void>} life
 * @returns {import('./model.js').Load}
 */
export function cycleLoad({ settings, server, share }, life) {
  const path = `/app/${server.credentials.key}?protocol=7&client=bench&version=1`;
  const slots = shareOf(settings.connections, share);
  const state = { running: false };
  let cycles = 0;
  let failed = 0;
  let firstProblem = '';
  /** @type {Promise<void>[]} */
  let loops = [];

  const once = async (/** @type {number} */ slot) => {
    const socket = new RawSocket(server, path);
    try {
      await life(socket, slot);
    } finally {
      if (!socket.socket.destroyed) socket.drop();
    }
  };
  const loop = async (/** @type {number} */ slot) => {
    while (state.running) {
      try {
        await once(slot);
        cycles += 1;
      } catch (error) {
        failed += 1;
        firstProblem ||= /** @type {Error} */ (error).message;
        await sleep(PAUSE_AFTER_FAILURE_MS);
      }
    }
  };

  return {
    prepare: () => once(0),
    start() {
      state.running = true;
      loops = Array.from({ length: slots }, (_, slot) => loop(slot));
    },
    stop() {
      state.running = false;
    },
    async close() {
      state.running = false;
      await Promise.all(loops);
    },
    counts: () => ({ cycles, failed }),
    problem: () => firstProblem,
  };
}
