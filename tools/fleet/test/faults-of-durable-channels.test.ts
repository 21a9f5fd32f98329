import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DURABLE_FAULTS } from '../src/durable/faults/index.js';
import { Installation } from '../src/durable/installation.js';
import { durableLineOf, runDurable } from '../src/durable/run.js';

/** Another seed every day; the environment says which to try again. */
const seed = Number(process.env.CARILLON_FLEET_SEED ?? Math.floor(Date.now() / 86_400_000));

/** As much as every change of the code is tried with; `node tools/fleet --durable` tries more. */
describe('an installation of durable channels', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await Installation.start();
  });
  afterAll(() => installation.release());

  it.each(DURABLE_FAULTS)(`holds under $name by seed ${seed}`, { timeout: 90_000 }, async (fault) => {
    const report = await runDurable(installation, fault, { seed, lastingMs: 3000, trafficMs: 600 });
    const line = durableLineOf(report);
    expect([line, ...report.violations.slice(0, 20)]).toEqual([line]);
    expect(report.delivered).toBeGreaterThan(report.published);
  });
});
