// Free ports below the range systems hand to outgoing connections, so that a stopped engine's port is still free
// when it comes back.
import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';

const LOWEST = 20_000;
const HIGHEST = 32_000;
/** Handed out by this process already: their engines may not listen yet. @type {Set<number>} */
const handedOut = new Set();

/** @param {number} port @returns {Promise<boolean>} */
const isFree = (port) =>
  new Promise((done) => {
    const server = createServer();
    server.once('error', () => done(false));
    server.listen(port, '127.0.0.1', () => server.close(() => done(true)));
  });

/** @param {number} count @returns {Promise<number[]>} */
export async function freePorts(count) {
  const found = [];
  for (let tries = 0; found.length < count; tries++) {
    if (tries > 1000) throw new Error(`no free port found between ${LOWEST} and ${HIGHEST}`);
    const port = randomInt(LOWEST, HIGHEST);
    if (handedOut.has(port) || !(await isFree(port))) continue;
    handedOut.add(port);
    found.push(port);
  }
  return found;
}
