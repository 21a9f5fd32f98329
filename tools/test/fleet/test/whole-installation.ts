import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DURABLE_FAULTS } from '../src/durable/faults/index.js';
import { Installation } from '../src/durable/installation.js';
import { durableLineOf, runDurable } from '../src/durable/run.js';
import { seed } from './seed.js';

/** The faults of durable channels whose names are chosen, one after another on one installation, each by so many seeds. */
export function durableHoldsUnder(chosen: (name: string) => boolean, livesOn = false, seeds = 1): void {
  describe(`an installation of durable channels${livesOn ? ' with messages that live on' : ''}`, () => {
    let installation: Installation;
    beforeAll(async () => {
      installation = await Installation.start(livesOn);
    });
    afterAll(() => installation.release());

    const faults = DURABLE_FAULTS.filter(({ name }) => chosen(name));
    const runs = faults.flatMap((fault) =>
      Array.from({ length: seeds }, (_, n) => ({ fault, name: fault.name, by: seed + n })),
    );
    it.each(runs)('holds under $name by seed $by', { timeout: 90_000 }, async ({ fault, by }) => {
      const report = await runDurable(installation, fault, { seed: by, lastingMs: 3000, trafficMs: 600 });
      const line = durableLineOf(report);
      expect([line, ...report.violations.slice(0, 20)]).toEqual([line]);
      expect(report.delivered).toBeGreaterThan(report.published);
    });
  });
}

/** Tried with every change; the others belong to the proof. */
export const EVERY_CHANGE: ReadonlySet<string> = new Set(['kill-writer', 'kill-database']);
