import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { findProgram, findPrograms } from '../src/acquire/programs.js';

const folder = mkdtempSync(join(tmpdir(), 'carillon-programs-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** @param {string} path */
function program(path) {
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), '#!/bin/sh\n');
  chmodSync(join(folder, path), 0o755);
}

describe('finding a program', () => {
  it('takes the highest version where a path has several', () => {
    program('9/bin/bell');
    program('16/bin/bell');
    program('15/bin/bell');
    expect(findProgram([`${folder}/*/bin/bell`])).toBe(join(folder, '16/bin/bell'));
  });

  it('takes the first candidate that exists', () => {
    program('bin/second');
    expect(findProgram([`${folder}/bin/first`, `${folder}/bin/second`])).toBe(join(folder, 'bin/second'));
  });

  it('does not take a file that cannot be run', () => {
    writeFileSync(join(folder, 'text'), '');
    expect(findProgram([`${folder}/text`])).toBeNull();
  });

  it('names the first candidate of every program that is absent', () => {
    program('bin/there');
    const found = findPrograms({ one: [`${folder}/bin/there`], two: ['no-such-bell', 'nor-this'] });
    expect(found).toEqual({ programs: { one: join(folder, 'bin/there') }, absent: ['no-such-bell'] });
  });
});
