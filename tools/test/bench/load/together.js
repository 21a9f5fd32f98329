/**
 * Several loads as one: their counters are added up where they share a name.
 * @param {import('./model.js').Load[]} loads
 * @returns {import('./model.js').Load}
 */
export const together = (...loads) => ({
  async prepare() {
    for (const load of loads) await load.prepare();
  },
  start(startUs, phase) {
    for (const load of loads) load.start(startUs, phase);
  },
  stop() {
    for (const load of loads) load.stop();
  },
  async close() {
    await Promise.all(loads.map((load) => load.close()));
  },
  counts() {
    /** @type {Record<string, number>} */
    const sum = {};
    for (const [name, value] of loads.flatMap((load) => Object.entries(load.counts()))) {
      sum[name] = (sum[name] ?? 0) + value;
    }
    return sum;
  },
  problem: () => loads.map((load) => load.problem()).find((problem) => problem !== '') ?? '',
});
