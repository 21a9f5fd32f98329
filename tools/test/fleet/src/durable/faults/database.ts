import type { Closing } from '../../broker/door.js';
import { sleep, until } from '../../wait.js';
import { TABLES } from '../installation.js';
import type { DurableFault, DurableScene } from './fault.js';

const SHORTEST_MS = 300;
const LONGER_THAN_A_PUBLISH_MS = 7000;
const DROPPED_WITHIN_MS = 30_000;

const wentWell = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

/** The server ends at one moment, or one of its processes does and takes every session along. */
export const killDatabase: DurableFault = {
  name: 'kill-database',
  mayRefuse: true,
  mayHangUp: false,
  strike: async ({ installation, random, lastingMs }) => {
    if (random.chance(0.5)) {
      await installation.database.kill();
      await sleep(random.between(0, lastingMs / 2));
      await installation.database.restart();
      return;
    }
    const pids = await installation.sql(
      `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() order by pid`,
    );
    process.kill(Number(random.pick(pids)), 'SIGKILL');
    await sleep(SHORTEST_MS);
  },
};

/** Every write is answered as by a server without room on its disk. */
export const diskFull: DurableFault = {
  name: 'disk-full',
  mayRefuse: true,
  mayHangUp: false,
  strike: async ({ installation, random, lastingMs }) => {
    const [table = '', what = ''] = random.pick([
      ['records', 'insert'],
      ['receipts', 'insert'],
      ['streams', 'update'],
    ]);
    await installation.sql(
      `create or replace function no_room() returns trigger language plpgsql as
        $$ begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
    );
    try {
      await installation.sql(
        `create trigger no_room before ${what} on ${TABLES}${table} for each row execute function no_room()`,
      );
      await sleep(random.between(SHORTEST_MS, lastingMs));
    } finally {
      // On a busy machine a lock may come later than the answer is waited for.
      const drop = `drop trigger if exists no_room on ${TABLES}${table}`;
      await until(() => wentWell(installation.sql(drop)), DROPPED_WITHIN_MS);
    }
  },
};

export const databaseAway: DurableFault = {
  name: 'database-away',
  mayRefuse: true,
  mayHangUp: false,
  strike: (scene) => takeAway(scene, scene.random.between(SHORTEST_MS, scene.lastingMs)),
};

/** So long that nobody can wait for it. */
export const databaseLongAway: DurableFault = {
  name: 'database-long-away',
  mayRefuse: true,
  mustRefuse: true,
  mayHangUp: false,
  strike: (scene) => takeAway(scene, LONGER_THAN_A_PUBLISH_MS),
};

/** Nobody reaches the database: it refuses, the network is silent, or the server stands still. */
async function takeAway({ installation, random }: DurableScene, forMs: number): Promise<void> {
  const { database, databaseDoors } = installation;
  const how = random.pick<Closing | 'stands still'>(['refuses', 'is silent', 'stands still']);
  if (how === 'stands still') await database.pause();
  else for (const door of databaseDoors) door.shut(how);
  await sleep(forMs);
  if (how === 'stands still') await database.resume();
  else for (const door of databaseDoors) door.open();
}

/** One writer alone does not reach the database; what it held there stays locked until the server ends its session. */
export const cutWriter: DurableFault = {
  name: 'cut-writer',
  mayRefuse: true,
  mayHangUp: false,
  strike: async ({ installation, random, lastingMs }) => {
    const door = installation.databaseDoorOf(random.pick(installation.writers));
    door.shut(random.pick<Closing>(['refuses', 'is silent']));
    await sleep(random.between(SHORTEST_MS, lastingMs));
    door.open();
  },
};
