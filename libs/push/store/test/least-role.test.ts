import { DatabaseRejected } from '@carillon/database';
import { describe, expect, it } from 'vitest';
import { openSql } from '../src/index.js';
import { admission, claim, NOW } from './samples.js';
import { cornerOf } from './scene.js';

const LIMITS = { waiting: 9, statementMs: 5000 };
const SECRET = 'w';

/** Statements that create and drop a role that may only read and write. */
const ROLES = {
  postgres: (role: string, _database: string) => ({
    make: [
      `create role ${role} login password '${SECRET}'`,
      `grant usage on schema service to ${role}`,
      `grant select, insert, update, delete on all tables in schema service to ${role}`,
    ],
    drop: [`drop owned by ${role}`, `drop role ${role}`],
  }),
  mysql: (role: string, database: string) => ({
    make: [
      `create user ${role} identified by '${SECRET}'`,
      `grant select, insert, update, delete on ${database}.* to ${role}`,
    ],
    drop: [`drop user ${role}`],
  }),
};

describe.each(['postgres', 'mysql'] as const)('a role of %s that may only read and write', (dialect) => {
  it('has the store in tables that another role made, and says what it may not where there are none', async () => {
    const { databases, end, name, as } = await cornerOf(dialect);
    const owner = databases().apart(dialect, LIMITS);
    await owner.connect();
    const role = `w_${name}`.slice(0, 30);
    const { make, drop } = ROLES[dialect](role, name);
    const [login = '', ...grants] = make;
    await owner.query(login);
    // MySQL does not let a user without any right into a database.
    if (dialect === 'mysql') await owner.query(grants[0] ?? '');
    const early = openSql(as(role, SECRET)(), dialect);
    const refused: unknown = await early.connect().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(DatabaseRejected);
    expect((refused as Error).message).toMatch(/denied/);
    await early.close();
    const owned = openSql(databases(), dialect);
    await owned.connect();
    for (const grant of grants) await owner.query(grant);
    const store = openSql(as(role, SECRET)(), dialect);
    await store.connect();
    await store.admit(admission('p'));
    await store.plan('shop', 'p', [claim('p', 'k')]);
    expect(await owned.claim('shop', 'p', 'k')).toMatchObject({ state: 'planned', updatedMs: NOW });
    await Promise.all([store.close(), owned.close()]);
    for (const statement of drop) await owner.query(statement);
    await owner.close();
    await end();
  });
});
