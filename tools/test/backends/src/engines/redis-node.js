// What every Redis process here shares: nothing is written to disk, and only this machine may connect.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';

/** @import { Needs, NodePlan, Site } from '../types.js' */

/** @type {Needs} */
export const redisNeeds = { programs: { server: ['redis-server'] }, packages: ['redis-server'] };

/** @param {number} port */
export const redisUrl = (port) => `redis://127.0.0.1:${port}`;

/** @param {Site} site @param {string} name @param {number} port @param {string[]} extra @returns {NodePlan} */
export function redisNode({ folder, tools }, name, port, extra) {
  const own = join(folder, name);
  mkdirSync(own);
  const args = ['--port', String(port), '--bind', '127.0.0.1', '--dir', own];
  return {
    name,
    port,
    command: tools.programs.server ?? '',
    args: [...args, '--save', '', '--appendonly', 'no', '--daemonize', 'no', ...extra],
  };
}
