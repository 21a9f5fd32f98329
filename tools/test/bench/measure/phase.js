import { until } from '../load/clock.js';

const SECOND_US = 1_000_000;

/**
 * Runs one window of load and reads the server at its begin, at its end and, where the scenario asks, in between.
 * @param {object} window
 * @param {import('../control/pool.js').Pool} window.pool prepared already
 * @param {import('../load/model.js').Settings} window.settings
 * @param {import('../load/model.js').Phase} window.phase
 * @param {() => import('./proc-tree.js').TreeReading | null} window.read
 * @param {number | undefined} window.every seconds between readings; undefined = only begin and end
 * @param {(line: string) => void} window.progress hears from a long window once a minute
 * @returns {Promise<import('../scenarios/metrics.js').Measured>}
 */
export async function measurePhase({ pool, settings, phase, read, every, progress }) {
  const { window, results } = pool.run(settings, phase);
  const readings = readDuring(window, every ?? settings.duration, read, progress);
  const [load, all] = await Promise.all([results, readings]);
  const [begin, end] = [all[0]?.reading ?? null, all.at(-1)?.reading ?? null];
  return {
    ...load,
    cpuUs: begin === null || end === null ? null : end.cpuUs - begin.cpuUs,
    memory: all.flatMap(({ seconds, reading }) =>
      reading === null ? [] : [{ seconds, rssBytes: reading.rssBytes }],
    ),
  };
}

/**
 * @param {{ beginUs: number, endUs: number }} window
 * @param {number} every seconds
 * @param {() => import('./proc-tree.js').TreeReading | null} read
 * @param {(line: string) => void} progress
 */
async function readDuring({ beginUs, endUs }, every, read, progress) {
  const readings = [];
  const minutes = (endUs - beginUs) / SECOND_US / 60;
  let minute = 1;
  for (let dueUs = beginUs; dueUs < endUs; dueUs += every * SECOND_US) {
    await until(dueUs);
    const seconds = (dueUs - beginUs) / SECOND_US;
    const reading = read();
    readings.push({ seconds, reading });
    if (seconds < minute * 60) continue;
    const memory = reading === null ? '' : `, ${(reading.rssBytes / 2 ** 20).toFixed(1)} MiB`;
    progress(`minute ${minute} of ${minutes.toFixed(0)}${memory}`);
    minute += 1;
  }
  await until(endUs);
  readings.push({ seconds: minutes * 60, reading: read() });
  return readings;
}
