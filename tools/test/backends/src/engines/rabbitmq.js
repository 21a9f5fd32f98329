// RabbitMQ, with a port mapper, a cookie and a node name of its own, all on loopback only.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { accountFor, give } from '../processes/accounts.js';
import { amqpOpen } from '../wire/amqp.js';

/** @import { Engine, NodePlan } from '../types.js' */

const NAME = 'carillon';

/** @param {number} port */
const settings = (port) => `listeners.tcp.default = 127.0.0.1:${port}
default_user = ${NAME}
default_pass = ${NAME}
vm_memory_high_watermark.absolute = 512MB
disk_free_limit.absolute = 50MB
log.console = true
log.console.level = warning
log.file = false
`;

/** @param {string} folder @param {number} mapperPort @param {number} distributionPort @returns {Record<string, string>} */
const environment = (folder, mapperPort, distributionPort) => ({
  RABBITMQ_NODENAME: `${NAME}-${distributionPort}@localhost`,
  RABBITMQ_DIST_PORT: String(distributionPort),
  RABBITMQ_CONFIG_FILE: join(folder, 'rabbitmq'),
  RABBITMQ_CONF_ENV_FILE: join(folder, 'none.conf'),
  RABBITMQ_ADVANCED_CONFIG_FILE: join(folder, 'none.config'),
  RABBITMQ_ENABLED_PLUGINS_FILE: join(folder, 'enabled_plugins'),
  RABBITMQ_MNESIA_BASE: join(folder, 'data'),
  RABBITMQ_LOG_BASE: join(folder, 'logs'),
  RABBITMQ_PID_FILE: join(folder, 'pid'),
  // Few schedulers and no spinning: a test engine is idle most of the time.
  RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS:
    '+S 2:2 +sbwt none +sbwtdcpu none +sbwtdio none -kernel inet_dist_use_interface {127,0,0,1}',
  ERL_EPMD_PORT: String(mapperPort),
  ERL_EPMD_ADDRESS: '127.0.0.1',
});

/** @type {Engine} */
export const rabbitmq = {
  name: 'rabbitmq',
  needs: {
    programs: {
      // The first is the server itself; what Debian puts on PATH is a wrapper that insists on its own user.
      server: ['/usr/lib/rabbitmq/bin/rabbitmq-server', 'rabbitmq-server'],
      mapper: ['epmd', '/usr/lib/erlang/erts-*/bin/epmd'],
    },
    packages: ['rabbitmq-server'],
  },
  portCount: 3,
  service: 'rabbitmq',
  containerUrl: (port) => `amqp://${NAME}:${NAME}@127.0.0.1:${port}`,

  async plan({ folder, ports, tools }) {
    const [port = 0, mapperPort = 0, distributionPort = 0] = ports;
    const account = accountFor('rabbitmq');
    for (const name of ['data', 'logs']) {
      mkdirSync(join(folder, name));
      give(join(folder, name), account);
    }
    writeFileSync(join(folder, 'rabbitmq.conf'), settings(port));
    writeFileSync(join(folder, 'enabled_plugins'), '[].\n');
    // The server writes its cookie here, HOME being this folder.
    give(folder, account);
    const mapperArgs = ['-port', String(mapperPort), '-address', '127.0.0.1', '-relaxed_command_check'];
    /** @type {NodePlan[]} */
    const nodes = [
      { name: 'mapper', port: mapperPort, command: tools.programs.mapper ?? '', args: mapperArgs, account },
      {
        name: 'main',
        port,
        command: tools.programs.server ?? '',
        args: [],
        env: environment(folder, mapperPort, distributionPort),
        account,
      },
    ];
    return { url: `amqp://${NAME}:${NAME}@127.0.0.1:${port}`, nodes };
  },

  ready: amqpOpen,
};
