import { collectableEnvironment } from '../measure/garbage.js';
import { measureSide } from '../measure/side.js';
import { floorServer, runningServer, spawnedServer } from './servers.js';
import { Pool } from './pool.js';

/** @typedef {{ target: import('../scenarios/metrics.js').Metrics, floor: import('../scenarios/metrics.js').Metrics }} Round */

/**
 * Measures target and floor in turn, round after round, in one session on one machine.
 * @param {import('../settings/options.js').Options} options
 * @param {(line: string) => void} progress
 * @returns {Promise<{ rounds: Round[], problems: string[] }>}
 */
export async function runRounds(options, progress) {
  const { scenario, server, pid, spawn } = options;
  const env = scenario.collects === true ? collectableEnvironment() : {};
  const target = spawn === null ? runningServer(server, pid) : spawnedServer(server, spawn, env);
  const floor = floorServer(server, scenario.signedFloor === true, env);
  // Memory already taken by an earlier round would hide what the next one needs.
  const rounds = scenario.fresh === true && !target.restartable ? 1 : options.settings.rounds;
  const pool = new Pool(options.settings.loadProcesses);
  /** @type {Set<string>} */
  const problems = new Set();

  /** @param {import('./servers.js').MeasuredServer} server @param {number} round */
  const measure = async (server, round) => {
    progress(`round ${round} of ${rounds}: ${server.name}`);
    const renew = scenario.fresh === true && round > 1;
    if (renew) await server.stop();
    if (renew || round === 1) await server.start();
    const sample = await measureSide({ scenario, settings: options.settings, server, pool, progress });
    if (sample.problem !== '') problems.add(`${server.name}: ${sample.problem}`);
    return scenario.metrics(sample, options.settings);
  };

  try {
    /** @type {Round[]} */
    const done = [];
    for (let round = 1; round <= rounds; round += 1) {
      if (scenario.alone === true) {
        done.push({ target: await measure(target, round), floor: {} });
        continue;
      }
      // Who goes first changes every round: a machine that slowly warms up or fills up then favours neither.
      const floorFirst = round % 2 === 0 ? await measure(floor, round) : null;
      const measured = await measure(target, round);
      done.push({ target: measured, floor: floorFirst ?? (await measure(floor, round)) });
    }
    return { rounds: done, problems: [...problems] };
  } finally {
    pool.release();
    await Promise.all([target.stop(), floor.stop()]);
  }
}
