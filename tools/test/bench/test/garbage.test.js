import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, describe, expect, it } from 'vitest';
import { collectableEnvironment, collectGarbage, handlesSignal } from '../measure/garbage.js';

/** Says when its one piece of garbage is gone. It allocates nothing, so V8 has no reason of its own to look. */
const LITTERS = `
const watch = new FinalizationRegistry(() => process.stdout.write('collected'));
watch.register({ litter: true });
process.stdout.write('ready');
setInterval(() => {}, 60_000);`;

/** @type {import('node:child_process').ChildProcess[]} */
const started = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** @param {string} code @param {NodeJS.ProcessEnv} env */
async function start(code, env) {
  const child = spawn(process.execPath, ['-e', code], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  started.push(child);
  expect(String(await once(child.stdout, 'data'))).toBe('ready');
  return child;
}

describe('collecting garbage', () => {
  it('is done by a server started for it', async () => {
    const child = await start(LITTERS, collectableEnvironment());
    const said = once(child.stdout, 'data');
    await collectGarbage([child.pid ?? 0]);
    expect(String(await said)).toBe('collected');
  });

  it('leaves other processes alone', async () => {
    const child = await start(LITTERS, {});
    await collectGarbage([child.pid ?? 0]);
    expect([child.exitCode, child.signalCode]).toEqual([null, null]);
  });

  it('knows a handler in the mask of caught signals', () => {
    expect(handlesSignal('SigIgn:\t0000000000000800\nSigCgt:\t0000000000000800\n')).toBe(true);
    expect(handlesSignal('SigIgn:\t0000000000000800\nSigCgt:\t0000000000000400\n')).toBe(false);
    expect(handlesSignal('')).toBe(false);
  });
});
