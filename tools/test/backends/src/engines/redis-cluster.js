// A Redis cluster: three masters with a third of the slots each, and a replica for each of them.
import { eventually } from '../pause.js';
import { redisCommand } from '../wire/redis.js';
import { redisNeeds, redisNode, redisUrl } from './redis-node.js';

/** @import { Plan } from '../types.js' */

const MASTERS = 3;
const NODES = MASTERS * 2;
const SLOTS = 16_384;
const JOIN_LIMIT_MS = 20_000;
/** How long a master may be silent before its replica takes over; short, for tests of exactly that. */
const NODE_LIMIT_MS = 2000;

/** @param {string} url @returns {Promise<string>} */
const clusterInfo = async (url) => String(await redisCommand(url, 'CLUSTER', 'INFO'));

/** @param {string[]} urls */
async function giveSlots(urls) {
  for (const [index, url] of urls.slice(0, MASTERS).entries()) {
    const first = Math.floor((SLOTS * index) / MASTERS);
    const last = Math.floor((SLOTS * (index + 1)) / MASTERS) - 1;
    await redisCommand(url, 'CLUSTER', 'ADDSLOTSRANGE', String(first), String(last));
    // Different epochs from the start, or equal ones have to be settled first.
    await redisCommand(url, 'CLUSTER', 'SET-CONFIG-EPOCH', String(index + 1));
  }
}

/** Repeats the question to each server until its answer has the words. @param {string[]} urls @param {string[]} question @param {RegExp} words @param {number} [count] */
async function untilAllSay(urls, question, words, count = 1) {
  for (const url of urls) {
    const ask = async () => {
      const found = String(await redisCommand(url, ...question)).match(words) ?? [];
      if (found.length < count)
        throw new Error(`${url} does not answer ${question.join(' ')} with ${words.source}`);
    };
    await eventually(ask, { limitMs: JOIN_LIMIT_MS, everyMs: 50 });
  }
}

/** @param {Plan} plan @param {string[]} urls */
async function meet({ nodes }, urls) {
  const [first = ''] = urls;
  for (const { port, args } of nodes.slice(1)) {
    const busPort = args[args.indexOf('--cluster-port') + 1] ?? '';
    await redisCommand(first, 'CLUSTER', 'MEET', '127.0.0.1', String(port), busPort);
  }
  await untilAllSay(urls, ['CLUSTER', 'INFO'], new RegExp(`cluster_known_nodes:${NODES}`));
}

/** Makes each replica follow its master, and waits until everybody knows: only then can it take over. @param {string[]} urls */
async function follow(urls) {
  const replicas = urls.slice(MASTERS);
  for (const [index, replica] of replicas.entries()) {
    const master = String(await redisCommand(urls[index] ?? '', 'CLUSTER', 'MYID'));
    await eventually(() => redisCommand(replica, 'CLUSTER', 'REPLICATE', master), { limitMs: JOIN_LIMIT_MS });
  }
  await untilAllSay(replicas, ['INFO', 'replication'], /master_link_status:up/);
  await untilAllSay(urls, ['CLUSTER', 'NODES'], /slave [^-].* connected/g, replicas.length);
}

/** @type {import('../types.js').Engine} */
export const redisCluster = {
  name: 'redis-cluster',
  needs: redisNeeds,
  portCount: NODES * 2,

  async plan(site) {
    const ports = site.ports.slice(0, NODES);
    const nodes = ports.map((port, index) =>
      redisNode(site, index < MASTERS ? `master-${index + 1}` : `replica-${index + 1 - MASTERS}`, port, [
        '--cluster-enabled',
        'yes',
        '--cluster-port',
        String(site.ports[NODES + index]),
        '--cluster-node-timeout',
        String(NODE_LIMIT_MS),
        '--repl-diskless-sync-delay',
        '0',
      ]),
    );
    return { url: ports.map(redisUrl).join(','), nodes };
  },

  async settle(plan) {
    const urls = plan.url.split(',');
    await giveSlots(urls);
    await meet(plan, urls);
    await follow(urls);
  },

  async ready(url) {
    const states = await Promise.allSettled(url.split(',').map(clusterInfo));
    const texts = states.flatMap((state) => (state.status === 'fulfilled' ? [state.value] : []));
    // A node may be down on purpose; those that answer must agree that every slot is served.
    if (texts.length === 0 || !texts.every((text) => text.includes('cluster_state:ok'))) {
      throw new Error('the cluster does not serve every slot');
    }
  },
};
