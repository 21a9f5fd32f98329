import { until } from '../load/clock.js';
import { readTree } from './proc-tree.js';

/**
 * Loads one server for one round and measures it.
 * @param {object} round
 * @param {import('../scenarios/metrics.js').Scenario} round.scenario
 * @param {import('../load/model.js').Settings} round.settings
 * @param {import('../control/servers.js').MeasuredServer} round.server started already
 * @param {import('../control/pool.js').Pool} round.pool
 * @returns {Promise<import('../scenarios/metrics.js').Sample>}
 */
export async function measureSide({ scenario, settings, server, pool }) {
  const pid = server.pid();
  const read = () => (pid === null ? null : readTree(pid));
  const before = read();
  await pool.prepare(scenario.name, settings, server.server());
  const ready = read();
  const { window, results } = pool.run(settings);
  const readings = (async () => {
    await until(window.beginUs);
    const begin = read();
    await until(window.endUs);
    return { begin, end: read() };
  })();
  const [load, { begin, end }] = await Promise.all([results, readings]);
  await pool.close();
  return {
    ...load,
    cpuUs: begin === null || end === null ? null : end.cpuUs - begin.cpuUs,
    rssBytes: before === null || ready === null ? null : { before: before.rssBytes, ready: ready.rssBytes },
  };
}
