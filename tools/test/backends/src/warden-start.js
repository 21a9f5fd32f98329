// Makes sure that a warden watches over what is about to be started.
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { identify, isAlive } from './processes/identity.js';
import { homePath } from './state/folder.js';
import { changeState } from './state/state.js';

const PROGRAM = fileURLToPath(new URL('./warden.js', import.meta.url));

/** Call it after the engine is in the state: a warden that finds the state empty leaves. */
export function ensureWarden() {
  return changeState((state) => {
    if (state.warden !== null && isAlive(state.warden)) return;
    const child = spawn(process.execPath, [PROGRAM], {
      cwd: '/',
      detached: true,
      stdio: 'ignore',
      env: { ...process.env, CARILLON_ENGINES_HOME: homePath() },
    });
    child.unref();
    state.warden = child.pid === undefined ? null : identify(child.pid);
  });
}
