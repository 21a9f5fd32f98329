// A small process beside the engines: ends those whose owner has gone and those nobody has asked for too long, and
// leaves when none is left. Nothing stays behind even when whoever started it was killed.
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
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

/** @type {RunningEngine[]} */
let known = [];
for (;;) {
  if (!existsSync(join(homePath(), 'state.json'))) {
    // Somebody emptied the temp folder: what ran from it must not stay.
    known.flatMap(({ nodes }) => nodes).forEach(killNow);
    for (const { folder } of known) rmSync(folder, { recursive: true, force: true });
    break;
  }
  const { engines } = readState();
  known = Object.values(engines);
  for (const [key, running] of Object.entries(engines)) {
    // One that does not end is tried again at the next round.
    if (isOver(running)) await endEngine(key).catch(() => undefined);
  }
  if (await leaveWhenEmpty()) break;
  await pause(EVERY_MS);
}
