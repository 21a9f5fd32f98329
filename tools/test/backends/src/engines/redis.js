// One Redis server.
import { redisCommand } from '../wire/redis.js';
import { redisNeeds, redisNode, redisUrl } from './redis-node.js';

/** @type {import('../types.js').Engine} */
export const redis = {
  name: 'redis',
  needs: redisNeeds,
  portCount: 1,
  service: 'redis',
  containerUrl: redisUrl,

  async plan(site) {
    const [port = 0] = site.ports;
    return { url: redisUrl(port), nodes: [redisNode(site, 'main', port, [])] };
  },

  async ready(url) {
    await redisCommand(url, 'PING');
  },
};
