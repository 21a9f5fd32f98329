import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { spawnNode } from '../src/index.js';

const folder = mkdtempSync(join(tmpdir(), 'carillon-spawn-'));
const script = join(folder, 'script.cjs');

describe('a spawned script', () => {
  beforeAll(() =>
    writeFileSync(
      script,
      `console.log('args', process.argv[2], process.env.WORD);
       process.stdin.on('data', (line) => { console.error('heard', String(line).trim());
         if (String(line).startsWith('exit')) process.exit(3); });`,
    ),
  );
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('is heard on both streams, can be told things and gives its exit code', async () => {
    const child = spawnNode(script, ['first'], { WORD: 'bell' });
    expect((await child.says(/args (\w+) (\w+)/)).slice(1)).toEqual(['first', 'bell']);
    child.tell('hello');
    await child.says(/heard hello/);
    child.tell('exit');
    expect(await child.kill('SIGCONT')).toBe(3);
    expect(child.isRunning).toBe(false);
  });

  it('is gone after a kill, and what it never said is an error that shows what it did', async () => {
    const child = spawnNode(script, ['second']);
    await child.says(/args/);
    expect(await child.kill()).toBeNull();
    expect(child.isRunning).toBe(false);
    await expect(child.says(/never/)).rejects.toThrow('args second');
  });
});
