import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Driver } from '../src/broker/broker.js';
import { FAULTS } from '../src/faults/index.js';
import { Fleet } from '../src/nodes/fleet.js';
import { lineOf } from '../src/report.js';
import { measureRouting } from '../src/routing.js';
import { run } from '../src/run.js';
import { seed } from './seed.js';

const CHANNELS = 1000;
const DATA_BYTES = 2000;

/** Drivers that send a node the events of its clients' channels alone, and where what it is sent can be counted. */
const BY_INTEREST: ReadonlySet<Driver> = new Set(['nats', 'redis']);

function isSentWhatItWants(fleet: () => Fleet): void {
  it('is sent the events of 1000 channels at the one gateway whose clients have them', async () => {
    const [holder, ...others] = await measureRouting(fleet(), CHANNELS, DATA_BYTES);
    expect(holder).toMatchObject({ events: CHANNELS, unneeded: 0, interestChannels: CHANNELS });
    expect(holder?.inboundBytes).toBeGreaterThan(CHANNELS * DATA_BYTES);
    for (const other of others) {
      expect(other).toMatchObject({ events: 0, unneeded: 0, interestChannels: 0 });
      // Heartbeats and answers of the broker to keep-alives, and not one in a hundred of the events.
      expect(other.inboundBytes).toBeLessThan((CHANNELS * DATA_BYTES) / 100);
    }
  });
}

/** As much as every change of the code is tried with; `node tools/test/fleet` tries more. */
export function holdsUnder(driver: Driver, faultNames: readonly string[]): void {
  describe(`a fleet over ${driver}`, () => {
    let fleet: Fleet;
    beforeAll(async () => {
      fleet = await Fleet.start(driver);
    });
    afterAll(() => fleet.release());

    if (BY_INTEREST.has(driver)) isSentWhatItWants(() => fleet);

    it.each(faultNames)(`holds under %s by seed ${seed}`, { timeout: 90_000 }, async (name) => {
      const fault = FAULTS.find((one) => one.name === name && one.drivers.includes(driver));
      if (fault === undefined) throw new Error(`no fault ${name} over ${driver}`);
      const report = await run(fleet, fault, { seed, lastingMs: 3000, trafficMs: 600 });
      const line = lineOf(driver, report);
      expect([line, ...report.violations.slice(0, 20)]).toEqual([line]);
      expect(report.delivered).toBeGreaterThan(report.published);
    });
  });
}
