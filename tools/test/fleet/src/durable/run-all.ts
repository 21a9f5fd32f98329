import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DurableFault } from './faults/fault.js';
import { Installation } from './installation.js';
import { durableLineOf, type DurableReport, runDurable } from './run.js';

const TRAFFIC_MS = 1000;
const SHOWN = 20;

export interface WantedRuns {
  readonly seed: number;
  readonly runs: number;
  readonly lastingMs: number;
  /** Null: logs are not kept. */
  readonly logs: string | null;
  /** Whether messages are changed and annotated as well. */
  readonly livesOn?: boolean;
  readonly print: (text: string) => void;
}

/** Runs each fault so often on one installation, and says what came of it. True: everything held. */
export async function runAllDurable(faults: readonly DurableFault[], wanted: WantedRuns): Promise<boolean> {
  const { seed, runs, lastingMs, logs, print } = wanted;
  print(`seed ${seed}`);
  const installation = await Installation.start(wanted.livesOn ?? false);
  let holds = true;
  try {
    for (const fault of faults) {
      const reports: DurableReport[] = [];
      for (let index = 0; index < runs; index += 1) {
        const report = await runDurable(installation, fault, {
          seed: seed + index,
          lastingMs,
          trafficMs: TRAFFIC_MS,
        });
        print(durableLineOf(report));
        for (const violation of report.violations.slice(0, SHOWN)) print(`    ${violation}`);
        if (report.violations.length > 0 && logs !== null)
          writeLogs(installation, join(logs, `${report.fault}-${report.seed}`));
        reports.push(report);
      }
      const broken = reports.filter(({ violations }) => violations.length > 0);
      print(`durable ${fault.name}: ${runs - broken.length} of ${runs} hold`);
      holds &&= broken.length === 0;
    }
  } finally {
    await installation.release();
  }
  return holds;
}

/** One file a node, of the process that runs now. */
function writeLogs(installation: Installation, folder: string): void {
  mkdirSync(folder, { recursive: true });
  for (const { name, log } of installation.nodes) writeFileSync(join(folder, `${name}.log`), log);
}
