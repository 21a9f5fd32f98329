import { describe, expect, it } from 'vitest';
import { mysql } from '../src/dialects/mysql.js';
import { postgres } from '../src/dialects/postgres.js';
import { openDataSource } from '../src/open.js';
import { checkServer, isTooOld } from '../src/server-version.js';
import { databaseTarget } from '../src/target.js';
import { emptyDatabase, ENGINES, failure, processWith, settings } from './scene.js';

const RULES = { mysql, postgres };
const refused = (dialect: 'mysql' | 'postgres', text: string): string | null => {
  const { name, version } = RULES[dialect].server(text);
  try {
    checkServer(name, version, RULES[dialect].oldest);
    return null;
  } catch (error) {
    return (error as Error).message;
  }
};

describe('a server below the oldest version that was tested', () => {
  it('is named with its version and the one that is needed', () => {
    expect(refused('postgres', 'PostgreSQL 14.11 (Debian 14.11-1) on x86_64')).toBe(
      'PostgreSQL 14.11 is too old: PostgreSQL 15.0 or newer is needed',
    );
    expect(refused('mysql', '5.7.44-log')).toBe('MySQL 5.7.44-log is too old: MySQL 8.0 or newer is needed');
    expect(refused('mysql', '5.5.5-10.6.18-MariaDB')).toBe(
      'MariaDB 10.6.18-MariaDB is too old: MariaDB 10.11 or newer is needed',
    );
    expect(refused('postgres', 'who knows')).toContain('PostgreSQL who knows is too old');
  });

  it.each([
    ['postgres', 'PostgreSQL 15.0 on x86_64'],
    ['postgres', 'PostgreSQL 16beta1'],
    ['postgres', 'PostgreSQL 18.1'],
    ['mysql', '8.0.36'],
    ['mysql', '9.1.0'],
    ['mysql', '10.11.19-MariaDB-0+deb12u1'],
    ['mysql', '5.5.5-11.4.2-MariaDB'],
  ] as const)('is not %s %s', (dialect, text) => {
    expect(refused(dialect, text)).toBeNull();
  });

  it.each(ENGINES)('ends the start at once in %s', async (dialect, engineName) => {
    const { parts } = await processWith(settings(dialect, await emptyDatabase(engineName)));
    const oldest = { MariaDB: [99, 0], MySQL: [99, 0], PostgreSQL: [99, 0] } as const;
    const target = databaseTarget(parts.config, dialect, 'carillon 1');
    const thrown = await failure(openDataSource({ ...RULES[dialect], oldest }, target, {}));
    expect(String(thrown)).toMatch(/(PostgreSQL|MariaDB|MySQL) \d+\.\d+.* is too old: .* 99\.0 or newer/);
    expect(isTooOld(new Error('wrapped', { cause: new Error('twice', { cause: thrown }) }))).toBe(true);
    expect(isTooOld(new Error('something else'))).toBe(false);
  });
});
