import { describe, expect, it } from 'vitest';
import { parseOpenFiles, requireOpenFiles } from '../measure/open-files.js';

describe('open files', () => {
  it('are read as the soft limit', () => {
    const text =
      'Limit  Soft Limit  Hard Limit  Units\nMax open files            1024                 4096        files\n';
    expect(parseOpenFiles(text)).toBe(1024);
    expect(parseOpenFiles('Max open files unlimited unlimited')).toBeNull();
  });

  it('are asked for before a run that needs more than there are', () => {
    expect(() => requireOpenFiles([process.pid], 2 ** 40)).toThrow(/may open \d+ files: too few for/);
    requireOpenFiles([process.pid], 1);
    requireOpenFiles([], 1);
  });
});
