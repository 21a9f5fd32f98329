import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquire } from '../src/acquire/acquire.js';
import { engine, startAll, whyMissing } from '../src/index.js';
import { changeState } from '../src/state/state.js';

/** @type {string} */
let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-missing-'));
  process.env.CARILLON_ENGINES_HOME = folder;
});
afterEach(() => {
  delete process.env.CARILLON_ENGINES_HOME;
  delete process.env.CARILLON_ENGINE_REDIS;
  rmSync(folder, { recursive: true });
});

describe('an engine that cannot be had', () => {
  it('is named with every way that was tried', async () => {
    const needs = { programs: { bell: ['no-such-bell'] }, packages: [] };
    const unobtainable = {
      name: 'bell',
      needs,
      portCount: 1,
      plan: () => Promise.reject(new Error('never asked')),
      ready: () => Promise.resolve(),
    };
    const { tools, missing } = await acquire([unobtainable]);
    expect(tools.size).toBe(0);
    expect(missing).toEqual([
      {
        name: 'bell',
        reason: expect.stringMatching(/^no-such-bell not found; .+; not offered through Docker$/),
      },
    ]);
  });

  it('is reported, and remembered for the rest of the run, when its given address does not answer', async () => {
    process.env.CARILLON_ENGINE_REDIS = 'redis://:secret@127.0.0.1:1';
    const { started, missing } = await startAll(['redis']);
    expect(started).toEqual({});
    expect(missing).toEqual([
      { name: 'redis', reason: expect.stringContaining('CARILLON_ENGINE_REDIS names does not answer') },
    ]);
    expect(JSON.stringify(missing)).not.toContain('secret');
    expect(whyMissing('redis')).toBe(missing[0]?.reason);
    expect(whyMissing('nats')).toBeNull();
  });

  it('makes whoever asks for it fail at once with that reason', async () => {
    await changeState((state) => void state.missing.push({ name: 'kafka', reason: 'no jars today' }));
    const asking = engine('kafka');
    await expect(asking).rejects.toThrow('the engine kafka is missing: no jars today');
    await expect(asking).rejects.toMatchObject({ name: 'MissingEngine', engine: 'kafka' });
  });

  it('is told apart from a name no engine has', async () => {
    await expect(engine('bell')).rejects.toThrow('no engine is called bell; there are ably-python, ');
    await expect(startAll(['redis', 'bell'])).rejects.toThrow('no engine is called bell');
  });
});
