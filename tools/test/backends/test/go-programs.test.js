import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { acquire } from '../src/acquire/acquire.js';

/** @type {string} */
let folder;
const before = process.env.XDG_CACHE_HOME;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'carillon-go-'));
  process.env.XDG_CACHE_HOME = join(folder, 'cache');
  mkdirSync(join(folder, 'source'));
  writeFileSync(join(folder, 'source', 'go.mod'), 'module bell\n\ngo 1.19\n');
  writeFileSync(join(folder, 'source', 'main.go'), 'package main\n');
});
afterEach(() => {
  if (before === undefined) delete process.env.XDG_CACHE_HOME;
  else process.env.XDG_CACHE_HOME = before;
  rmSync(folder, { recursive: true });
});

/** A Go of that version, which notes how it is asked to build and where. @param {string} version */
function go(version) {
  const note = `echo "$PWD $GOFLAGS $CGO_ENABLED $GOTOOLCHAIN $HOME" >>"${folder}/builds"`;
  const build = `${note}; while [ "$1" != -o ]; do shift; done; cp main.go "$2"`;
  const answer = `if [ "$1" = version ]; then echo "go version go${version} linux/amd64"; else ${build}; fi`;
  writeFileSync(join(folder, 'go'), `#!/bin/sh\n${answer}\n`);
  chmodSync(join(folder, 'go'), 0o755);
}
const builds = () => readFileSync(join(folder, 'builds'), 'utf8').trimEnd().split('\n');

async function acquireBell() {
  const { tools, missing } = await acquire([
    {
      name: 'bell',
      needs: {
        programs: { go: [join(folder, 'go')] },
        packages: [],
        go: { name: 'bell-1', folder: join(folder, 'source') },
      },
      portCount: 1,
      plan: () => Promise.reject(new Error('never asked')),
      ready: () => Promise.resolve(),
    },
  ]);
  return { driver: tools.get('bell')?.programs.driver ?? '', missing };
}

describe('an engine that is a program in Go', () => {
  it('is built once, where its source is, with what is pinned and by the Go there is', async () => {
    go('1.19.8');
    const { driver, missing } = await acquireBell();
    expect(missing).toEqual([]);
    expect(readFileSync(driver, 'utf8')).toBe('package main\n');
    expect(await acquireBell()).toEqual({ driver, missing: [] });
    // Go keeps what it fetches below the home of whoever calls it.
    expect(builds()).toEqual([`${join(folder, 'source')} -mod=readonly 0 local ${process.env.HOME}`]);
  });

  it('is built anew when its source or the Go changes', async () => {
    go('1.19.8');
    const { driver } = await acquireBell();
    appendFileSync(join(folder, 'source', 'main.go'), '// changed\n');
    const { driver: changed } = await acquireBell();
    expect(readFileSync(changed, 'utf8')).toBe('package main\n// changed\n');
    go('1.26.0');
    const { driver: newer } = await acquireBell();
    expect(new Set([driver, changed, newer]).size).toBe(3);
    expect(builds()).toHaveLength(3);
  });

  it.each(['1.18.10', '1.4'])('is missing when Go is %s, older than its go.mod wants', async (version) => {
    go(version);
    const { missing } = await acquireBell();
    expect(missing).toEqual([
      {
        name: 'bell',
        reason: expect.stringContaining(`go 1.19 or newer is needed, ${folder}/go is go${version}`),
      },
    ]);
  });

  it('is missing with what Go said when it cannot be built, and is tried again', async () => {
    go('1.19.8');
    rmSync(join(folder, 'source', 'main.go'));
    const { missing } = await acquireBell();
    expect(missing).toEqual([{ name: 'bell', reason: expect.stringContaining('main.go') }]);
    writeFileSync(join(folder, 'source', 'main.go'), 'package main\n');
    expect((await acquireBell()).missing).toEqual([]);
  });
});
