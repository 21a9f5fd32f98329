// MariaDB, as root run as `mysql` or `nobody`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withPath } from '../address.js';
import { accountFor, give } from '../processes/accounts.js';
import { run } from '../processes/launch.js';
import { mariadbQuery } from '../wire/mariadb.js';

/** @import { Account, Engine, Site } from '../types.js' */

const NAME = 'carillon';

/** Run by the server before it takes the first connection, and again at every restart. */
const FIRST_STATEMENTS = `create database if not exists ${NAME};
create user if not exists ${NAME}@'127.0.0.1' identified by '${NAME}';
grant all on *.* to ${NAME}@'127.0.0.1' with grant option;
`;

/** @param {string} folder @param {Account | null} account */
const userFlag = (folder, account) => [
  `--datadir=${join(folder, 'data')}`,
  ...(account === null ? [] : [`--user=${account.name}`]),
];

/** @param {Site} site @param {Account | null} account */
async function initialise({ folder, tools }, account) {
  const data = join(folder, 'data');
  mkdirSync(data, { mode: 0o700 });
  give(data, account);
  const flags = ['--auth-root-authentication-method=normal', '--skip-test-db', '--skip-name-resolve'];
  const args = ['--no-defaults', ...userFlag(folder, account), ...flags, '--innodb-log-file-size=8M'];
  await run(tools.programs.install ?? '', args, { folder, account });
  writeFileSync(join(folder, 'first.sql'), FIRST_STATEMENTS);
}

/** @type {Engine} */
export const mariadb = {
  name: 'mariadb',
  needs: {
    programs: {
      server: ['mariadbd', '/usr/sbin/mariadbd'],
      install: ['mariadb-install-db', '/usr/bin/mariadb-install-db'],
      defaults: ['my_print_defaults', '/usr/bin/my_print_defaults'],
    },
    packages: ['mariadb-server-core', 'mariadb-client-core'],
  },
  portCount: 1,
  service: 'mariadb',
  containerUrl: (port) => `mysql://root:${NAME}@127.0.0.1:${port}/${NAME}`,

  async plan(site) {
    const { folder, tools, options } = site;
    const [port = 0] = site.ports;
    const account = accountFor('mysql');
    // The server writes its socket and its process number here.
    give(folder, account);
    await initialise(site, account);
    const args = [
      '--no-defaults',
      ...userFlag(folder, account),
      `--port=${port}`,
      '--bind-address=127.0.0.1',
      `--socket=${join(folder, 'socket')}`,
      `--pid-file=${join(folder, 'pid')}`,
      `--init-file=${join(folder, 'first.sql')}`,
      '--skip-name-resolve',
      '--character-set-server=utf8mb4',
      '--innodb-buffer-pool-size=32M',
      '--innodb-log-file-size=16M',
      '--key-buffer-size=1M',
      '--aria-pagecache-buffer-size=8M',
      '--performance-schema=OFF',
      '--table-open-cache=200',
      '--max-connections=150',
      ...(options.durable ? [] : ['--innodb-flush-log-at-trx-commit=0', '--innodb-flush-method=nosync']),
    ];
    const url = `mysql://${NAME}:${NAME}@127.0.0.1:${port}/${NAME}`;
    return { url, nodes: [{ name: 'main', port, command: tools.programs.server ?? '', args, account }] };
  },

  async ready(url) {
    await mariadbQuery(url, 'select 1');
  },

  async isolate(url, name) {
    await mariadbQuery(url, `create database ${name}`);
    return {
      name,
      url: withPath(url, name),
      end: async () => void (await mariadbQuery(url, `drop database if exists ${name}`)),
    };
  },
};
