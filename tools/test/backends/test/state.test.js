import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { home } from '../src/state/folder.js';
import { changeState, readState } from '../src/state/state.js';

/** @type {string} */
let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-state-'));
  process.env.CARILLON_ENGINES_HOME = folder;
});
afterEach(() => {
  delete process.env.CARILLON_ENGINES_HOME;
  rmSync(folder, { recursive: true });
});

describe('the state', () => {
  it('is empty before anything was started', () => {
    expect(readState()).toEqual({ engines: {}, missing: [], warden: null });
  });

  it('loses no change when many are made at once', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `engine-${index}`);
    await Promise.all(
      names.map((name) => changeState((state) => void state.missing.push({ name, reason: 'none' }))),
    );
    expect(
      readState()
        .missing.map(({ name }) => name)
        .sort(),
    ).toEqual(names.sort());
  });

  it('starts afresh from a file that cannot be read', () => {
    writeFileSync(join(folder, 'state.json'), '{"engines":');
    expect(readState().engines).toEqual({});
  });

  it('is not trusted in a folder that others may write to', () => {
    chmodSync(folder, 0o777);
    expect(() => home()).toThrow('only this user can write to');
  });
});
