// Redis with Sentinel: a master, its replica, and three sentinels that promote the replica when the master is gone.
// The address is that of the sentinels; the master's name is the usual `mymaster`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { redisCommand } from '../wire/redis.js';
import { redisNeeds, redisNode, redisUrl } from './redis-node.js';

/** @import { NodePlan, Site } from '../types.js' */

/** What the sentinels call the master. */
export const SENTINEL_MASTER = 'mymaster';
const SENTINELS = 3;
const QUORUM = 2;

/** @param {number} masterPort @param {string} folder */
const settings = (masterPort, folder) => `dir ${folder}
bind 127.0.0.1
sentinel monitor ${SENTINEL_MASTER} 127.0.0.1 ${masterPort} ${QUORUM}
sentinel down-after-milliseconds ${SENTINEL_MASTER} 1000
sentinel failover-timeout ${SENTINEL_MASTER} 5000
sentinel parallel-syncs ${SENTINEL_MASTER} 1
`;

/** @param {Site} site @param {number} index @param {number} port @param {number} masterPort @returns {NodePlan} */
function sentinelNode({ folder, tools }, index, port, masterPort) {
  const name = `sentinel-${index + 1}`;
  // A sentinel writes what it learns into its own settings.
  const file = join(folder, `${name}.conf`);
  writeFileSync(file, settings(masterPort, folder));
  const args = [file, '--sentinel', '--port', String(port), '--daemonize', 'no'];
  return { name, port, command: tools.programs.server ?? '', args };
}

/** Rejects until this sentinel knows the replica and the other sentinels: before that it cannot fail over. @param {string} url */
async function knowsAll(url) {
  const reply = await redisCommand(url, 'SENTINEL', 'MASTER', SENTINEL_MASTER);
  const fields = Array.isArray(reply) ? reply : [];
  /** @param {string} name */
  const field = (name) => Number(fields[fields.indexOf(name) + 1]);
  if (field('num-slaves') < 1 || field('num-other-sentinels') < SENTINELS - 1) {
    throw new Error('the sentinels do not know one another yet');
  }
}

/** @type {import('../types.js').Engine} */
export const redisSentinel = {
  name: 'redis-sentinel',
  needs: redisNeeds,
  portCount: 2 + SENTINELS,

  async plan(site) {
    const [master = 0, replica = 0, ...sentinels] = site.ports;
    const quick = ['--repl-diskless-sync-delay', '0'];
    const nodes = [
      redisNode(site, 'master', master, quick),
      redisNode(site, 'replica', replica, [...quick, '--replicaof', `127.0.0.1 ${master}`]),
      ...sentinels.map((port, index) => sentinelNode(site, index, port, master)),
    ];
    return { url: sentinels.map(redisUrl).join(','), nodes };
  },

  async ready(url) {
    const known = await Promise.allSettled(url.split(',').map(knowsAll));
    const failed = known.filter(({ status }) => status === 'rejected');
    // A minority may be down on purpose.
    if (failed.length > (known.length - 1) / 2) throw new Error('no majority of the sentinels is ready');
  },
};
