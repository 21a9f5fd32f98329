import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startAll } from '../src/index.js';
import { eventually, pause } from '../src/pause.js';
import { isAlive } from '../src/processes/identity.js';
import { changeState, readState } from '../src/state/state.js';
import { endAll } from '../src/together.js';

/** @type {string} */
let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-left-'));
  process.env.CARILLON_ENGINES_HOME = folder;
});
afterEach(async () => {
  await endAll();
  delete process.env.CARILLON_ENGINES_HOME;
  rmSync(folder, { recursive: true, force: true });
});

/** The only engine in the state, once it is ready. */
const onlyEngine = () =>
  eventually(
    async () => {
      const [one] = Object.values(readState().engines);
      if (one === undefined || !one.ready) throw new Error('none is ready');
      return one;
    },
    { limitMs: 20_000 },
  );

/** @param {import('../src/types.js').RunningEngine} running */
const gone = ({ nodes, folder }) =>
  eventually(
    async () => {
      expect(nodes.filter(({ process }) => isAlive(process))).toEqual([]);
      expect(existsSync(folder)).toBe(false);
      expect(readState()).toMatchObject({ engines: {}, warden: null });
    },
    { limitMs: 20_000 },
  );

describe('an engine that nobody ends', () => {
  it('ends by itself when nobody has asked for it during its lifetime', async () => {
    const { started } = await startAll(['redis'], { detached: true, lifetimeMs: 3_600_000 });
    expect(started.redis?.origin).toBe('started');
    const running = await onlyEngine();
    await changeState(
      ({ engines }) => void (engines.redis = { ...running, askedAt: Date.now() - 3_600_001 }),
    );
    await gone(running);
  });

  it('ends when somebody empties the folder that remembers it', async () => {
    await startAll(['redis'], { detached: true });
    const running = await onlyEngine();
    const { warden } = readState();
    // The warden has seen it once it has gone round again.
    await changeState(
      (state) =>
        void (state.engines.other = { ...running, folder: join(folder, 'other'), nodes: [], askedAt: 0 }),
    );
    await eventually(async () => expect(readState().engines.other).toBeUndefined(), { limitMs: 10_000 });
    // The warden may still be putting its lock away.
    rmSync(folder, { recursive: true, maxRetries: 5 });
    const alive = () =>
      [...running.nodes.map(({ process }) => process), warden].filter((one) => one && isAlive(one));
    await eventually(async () => expect(alive()).toEqual([]), { limitMs: 10_000 });
  });

  it('ends with its owner, even when that is killed', async () => {
    const index = new URL('../src/index.js', import.meta.url).href;
    const program = `import { engine } from '${index}'; await engine('redis', { own: true }); setInterval(() => {}, 1000);`;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', program], { stdio: 'ignore' });
    const running = await onlyEngine();
    expect(running.owner?.pid).toBe(owner.pid);
    owner.kill('SIGKILL');
    await gone(running);
  });

  it('ends with its owner at once when that exits in order', async () => {
    const index = new URL('../src/index.js', import.meta.url).href;
    const program = `import { engine } from '${index}'; const { nodes } = await engine('redis'); console.log(nodes[0].pid);`;
    const owner = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let pid = '';
    owner.stdout.on('data', (chunk) => (pid += chunk));
    expect(await new Promise((done) => owner.once('close', done))).toBe(0);
    // It is killed before the owner has gone; the kernel may take a moment, and the warden takes more than two.
    const isThere = () => existsSync(`/proc/${pid.trim()}/cwd`);
    const deadline = Date.now() + 1000;
    while (isThere() && Date.now() < deadline) await pause(20);
    expect(isThere()).toBe(false);
  });
});
