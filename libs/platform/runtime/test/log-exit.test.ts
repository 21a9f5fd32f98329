import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { createLogging } from '../src/index.js';

const room = new URL('../src/index.js', import.meta.url).href;

describe('log at exit', () => {
  it('loses no line when the process exits right after writing', async () => {
    const program = `
      const { createLogging } = await import(${JSON.stringify(room)});
      const options = { debug: false, colors_enabled: true, include_target: true, format: 'json', filter: 'info' };
      const log = createLogging(options).for('service::ops');
      for (let i = 0; i < 2000; i += 1) log.info('line', { i, filler: 'x'.repeat(200) });
      process.exit(3);
    `;
    const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
      maxBuffer: 10_000_000,
    });
    const failure = (await run.catch((error: unknown) => error)) as { code: number; stdout: string };
    expect(failure.code).toBe(3);
    const lines = failure.stdout.trimEnd().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { fields: { i: number } }).fields.i)).toEqual(
      Array.from({ length: 2000 }, (_, i) => i),
    );
  });

  it('waits for the end of the process once, however many write to its output', () => {
    const options = {
      debug: false,
      colors_enabled: false,
      include_target: true,
      format: 'json',
      filter: 'off',
    } as const;
    createLogging(options);
    const before = process.listenerCount('exit');
    for (let times = 0; times < 20; times += 1) createLogging(options);
    expect(process.listenerCount('exit')).toBe(before);
  });
});
