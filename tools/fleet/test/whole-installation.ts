import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DURABLE_FAULTS } from '../src/durable/faults/index.js';
import { Installation } from '../src/durable/installation.js';
import { durableLineOf, runDurable } from '../src/durable/run.js';
import { seed } from './seed.js';

/** The faults of durable channels whose names are chosen, one after another on one installation. */
export function durableHoldsUnder(chosen: (name: string) => boolean, livesOn = false): void {
  describe(`an installation of durable channels${livesOn ? ' with messages that live on' : ''}`, () => {
    let installation: Installation;
    beforeAll(async () => {
      installation = await Installation.start(livesOn);
    });
    afterAll(() => installation.release());

    const faults = DURABLE_FAULTS.filter(({ name }) => chosen(name));
    it.each(faults)(`holds under $name by seed ${seed}`, { timeout: 90_000 }, async (fault) => {
      const report = await runDurable(installation, fault, { seed, lastingMs: 3000, trafficMs: 600 });
      const line = durableLineOf(report);
      expect([line, ...report.violations.slice(0, 20)]).toEqual([line]);
      expect(report.delivered).toBeGreaterThan(report.published);
    });
  });
}

/** Tried with every change; the others belong to the proof. */
export const EVERY_CHANGE: ReadonlySet<string> = new Set(['kill-writer', 'kill-database']);
