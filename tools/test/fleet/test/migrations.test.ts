import { postgresQuery } from '@carillon/test-backends';
import { expect, it, onTestFinished } from 'vitest';
import { LAST_RELEASE } from '../src/releases/last-release.js';
import { Rollout } from '../src/releases/rollout.js';

/** Every release ignores unknown migrations that are recorded under this prefix. */
const COMPATIBLE = 'added to ';

it('migrations require of the last release only what it knows when it restarts on tables of this tree', async () => {
  const rollout = await Rollout.begin('postgres');
  onTestFinished(() => rollout.release());
  await rollout.start('history-writer');
  await rollout.start('api');
  const query = 'select name from service.service_migrations';
  const recorded: (string | null)[] = await postgresQuery(rollout.database.url, query);
  const required = recorded.map(String).filter((name) => !name.startsWith(COMPATIBLE));
  expect(required.toSorted()).toEqual(LAST_RELEASE.migrations.toSorted());
}, 600_000);
