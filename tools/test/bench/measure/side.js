import { setTimeout as sleep } from 'node:timers/promises';
import { collectGarbage } from './garbage.js';
import { requireOpenFiles } from './open-files.js';
import { measurePhase } from './phase.js';
import { readTree } from './proc-tree.js';
import { joined, settingsOfTurns } from './turns.js';

/** @param {import('../load/model.js').Settings} settings @returns {import('../scenarios/metrics.js').PlannedPhase[]} */
const onePhase = ({ rate }) => [{ name: 'load', rate: () => rate }];

/**
 * Loads one server for one round and measures it. Memory is read three times: before the load's connections exist, when
 * all are open, and after they have been silent for a while and the server has collected its garbage. The server alone is
 * read, never the load.
 * @param {object} round
 * @param {import('../scenarios/metrics.js').Scenario} round.scenario
 * @param {import('../load/model.js').Settings} round.settings
 * @param {import('../control/servers.js').MeasuredServer} round.server started already
 * @param {import('../control/pool.js').Pool} round.pool
 * @param {(line: string) => void} round.progress
 * @returns {Promise<import('../scenarios/metrics.js').Sample>}
 */
export async function measureSide({ scenario, settings, server, pool, progress }) {
  const pid = server.pid();
  const read = () => (pid === null ? null : readTree(pid));
  const readSettled = async () => {
    await sleep(settings.settle * 1000);
    if (server.restartable && scenario.collects === true) await collectGarbage(read()?.pids ?? []);
    return read();
  };
  requireOpenFiles(read()?.pids ?? [], settings.connections);
  await pool.create(scenario.name, settings, server.server());
  const before = await readSettled();
  await pool.prepare();
  const ready = read();
  const settled = await readSettled();

  const planned = (scenario.phases ?? onePhase)(settings);
  /** @type {import('../scenarios/metrics.js').Measured[][]} */
  const parts = planned.map(() => []);
  const measured = () => parts.filter((some) => some.length > 0).map(joined);
  for (const part of settingsOfTurns(settings, scenario.turns ?? 1)) {
    for (const [index, { name, rate }] of planned.entries()) {
      const phase = { name, rate: rate(measured()) };
      const window = { pool, settings: part, phase, read, every: scenario.sampleSeconds, progress };
      parts[index]?.push(await measurePhase(window));
    }
  }
  await pool.close();
  const phases = measured();
  const [first] = phases;
  if (first === undefined) throw new Error(`${scenario.name} has no phase`);
  return {
    ...first,
    phases,
    problem: phases.map(({ problem }) => problem).find((problem) => problem !== '') ?? '',
    rssBytes:
      before === null || ready === null || settled === null
        ? null
        : { before: before.rssBytes, ready: ready.rssBytes, settled: settled.rssBytes },
  };
}
