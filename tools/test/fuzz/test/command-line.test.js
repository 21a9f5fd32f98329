import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const FUZZ = fileURLToPath(new URL('..', import.meta.url));

/** @param {string[]} args @param {Record<string, string>} [env] */
async function fuzz(args, env = {}) {
  const child = spawn(process.execPath, [FUZZ, ...args], { env: { ...process.env, ...env } });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => void (output += text));
  const [code] = await once(child, 'close');
  return { code, output };
}

describe('node tools/test/fuzz', () => {
  /** @type {string} */
  let folder;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'carillon-fuzz-test-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('says where it began, how much it tried, and that all holds', async () => {
    const { code, output } = await fuzz(['origin', '--inputs', '500'], { CARILLON_SEED: '4' });
    expect(output).toMatch(/^seed 4\norigin +\d+ inputs +\d+ outcomes .*holds\n\d+ inputs, 0 broken\n$/);
    expect(code).toBe(0);
  });

  it('checks one saved input', async () => {
    const file = join(folder, 'input.bin');
    writeFileSync(file, '{"event":"pusher:ping"}');
    expect(await fuzz(['frame', '--replay', file])).toEqual({ code: 0, output: 'ping\n' });
  });

  it('does saved sessions against a server again', async () => {
    const file = join(folder, 'sessions.bin');
    writeFileSync(file, JSON.stringify({ seed: 3, sessions: [1, 2, 3] }));
    const { code, output } = await fuzz(['live', '--replay', file]);
    expect([code, output]).toEqual([0, '3 sessions, and the service is well\n']);
  });

  it.each([
    [['frame', 'origin'], 'which target?'],
    [['frame', '--inputs', 'many'], '--inputs takes a whole number'],
    [['frame', '--what'], '--what'],
  ])('explains itself when told %j', async (args, words) => {
    const { code, output } = await fuzz(args);
    expect(code).toBe(2);
    expect(output).toContain(words);
    expect(output).toContain('Usage:');
  });
});
