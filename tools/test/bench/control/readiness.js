import { request } from 'node:http';
import { createConnection } from 'node:net';

const STEP_TIMEOUT_MS = 1000;

/** Whether something listens. @param {{ host: string, port: number }} address @returns {Promise<boolean>} */
export const answers = ({ host, port }) =>
  new Promise((done) => {
    const socket = createConnection({ host, port, timeout: STEP_TIMEOUT_MS });
    const end = (/** @type {boolean} */ answered) => {
      socket.destroy();
      done(answered);
    };
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
    socket.once('timeout', () => end(false));
  });

/**
 * Whether it says itself that it cannot serve yet: a server may listen before its routes exist and answer 503 until
 * then. Any other answer, and none in a second, means that it has started.
 * @param {import('../load/model.js').Server} server
 * @returns {Promise<boolean>}
 */
export const isStarting = ({ host, port, path }) =>
  new Promise((done) => {
    const asked = request({ host, port, path, agent: false, timeout: STEP_TIMEOUT_MS }, (response) => {
      response.destroy();
      done(response.statusCode === 503);
    });
    asked.once('error', () => done(false));
    asked.once('timeout', () => asked.destroy());
    asked.end();
  });
