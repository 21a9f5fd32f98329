import { configure } from '@carillon/config';
import { getHeapStatistics } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { setV8Flags, v8Flags } from '../src/bootstrap/v8-flags.js';

function settings(env: Record<string, string> = {}) {
  const outcome = configure({
    process: 'server',
    argv: [],
    env,
    cwd: '/nowhere',
    files: { exists: () => false, read: () => '' },
  });
  if (outcome.kind === 'exit') throw new Error(outcome.stderr);
  return outcome.config;
}

const ADMISSION = { HTTP_API_ACCEPT_TRAFFIC_ENABLED: 'true' };

describe('the flags of V8', () => {
  it('are these two where nothing is set', () => {
    expect(v8Flags(settings())).toEqual(['--no-allocation-site-pretenuring', '--heap-growing-percent=300']);
  });

  it('leave the heap to V8 under memory admission', () => {
    expect(v8Flags(settings(ADMISSION))).toEqual(['--no-allocation-site-pretenuring']);
  });

  it('are what an operator says, also under memory admission', () => {
    expect(v8Flags(settings({ RUNTIME_PRETENURING: 'true', RUNTIME_HEAP_GROWING_PERCENT: '0' }))).toEqual([]);
    expect(v8Flags(settings({ ...ADMISSION, RUNTIME_HEAP_GROWING_PERCENT: '50' }))).toContain(
      '--heap-growing-percent=50',
    );
  });

  it('do not change how large the heap may become', () => {
    const before = getHeapStatistics().heap_size_limit;
    expect(setV8Flags(settings())).toHaveLength(2);
    expect(getHeapStatistics().heap_size_limit).toBe(before);
  });
});
