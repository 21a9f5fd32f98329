// A small process beside the engines: ends those whose owner has gone and those nobody has asked for too long, and
// leaves when none is left. Nothing stays behind even when whoever started it was killed.
import { existsSync, rmSync } from 'node:fs';
import { pause } from './pause.js';
import { killNow } from './processes/control.js';
import { isAlive } from './processes/identity.js';
import { endEngine } from './start.js';
import { homePath } from './state/folder.js';
import { changeState, readState } from './state/state.js';

/** @import { RunningEngine } from './types.js' */

const EVERY_MS = 2000;

/** @param {RunningEngine} running */
const isOver = ({ owner, askedAt, lifetimeMs }) =>
  owner === null ? Date.now() - askedAt > lifetimeMs : !isAlive(owner);

async function leaveWhenEmpty() {
  return changeState((state) => {
    if (Object.keys(state.engines).length > 0) return false;
    state.warden = null;
    return true;
  });
}

/**
 * An engine is forgotten only after it has ended. One that runs on although the state has lost it, because somebody
 * emptied the temp folder, must not stay.
 * @param {RunningEngine} lost
 */
function endLost({ nodes, folder }) {
  nodes.forEach(killNow);
  rmSync(folder, { recursive: true, force: true });
}

/** @type {Record<string, RunningEngine>} */
let known = {};
for (;;) {
  const { engines } = readState();
  for (const [key, running] of Object.entries(known)) if (engines[key] === undefined) endLost(running);
  known = engines;
  for (const [key, running] of Object.entries(engines)) {
    // One that does not end is tried again at the next round.
    if (isOver(running)) await endEngine(key).catch(() => undefined);
  }
  if (!existsSync(homePath()) || (await leaveWhenEmpty())) break;
  await pause(EVERY_MS);
}
