// node tools/test/fleet --driver nats --fault kill-gateway --runs 100 --seed N
import { parseArgs } from 'node:util';
import { DRIVERS, type Driver } from './broker/broker.js';
import { DURABLE_FAULTS } from './durable/faults/index.js';
import { runAllDurable } from './durable/run-all.js';
import { FAULTS } from './faults/index.js';
import { Fleet } from './nodes/fleet.js';
import { run } from './run.js';
import { lineOf, sumOf } from './report.js';

const HELP = `Usage: node tools/test/fleet --driver ${DRIVERS.join('|')} [--fault NAME] [--runs N] [--seed N]
       node tools/test/fleet --durable [--living] [--fault NAME] [--runs N] [--seed N]

Faults: ${FAULTS.map(({ name }) => name).join(', ')}
Faults of durable channels: ${DURABLE_FAULTS.map(({ name }) => name).join(', ')}
  --fault NAME  one of them (default: each in turn)
  --runs N      how many runs of each (default 1)
  --seed N      of the first run; the next have the next numbers (default: from the clock)
  --living      changes and annotates messages of durable channels as well
  --logs FOLDER writes what the nodes logged there when something did not hold
  --lasting MS  how long lasting faults last (default 6000; from 10000 on, cut-node makes
                clients be sent away, which is what cut-off-long is for)
Exit codes: 0 everything held, 1 something did not, 2 the command is not understood.
`;

class UsageError extends Error {}

const print = (text: string): void => void process.stdout.write(`${text}\n`);

function wholeNumber(text: string | undefined, otherwise: number, name: string): number {
  if (text === undefined) return otherwise;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--${name} takes a whole number`);
  return Number(text);
}

async function main(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      driver: { type: 'string' },
      durable: { type: 'boolean' },
      living: { type: 'boolean' },
      fault: { type: 'string' },
      runs: { type: 'string' },
      seed: { type: 'string' },
      lasting: { type: 'string' },
      logs: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) {
    print(HELP);
    return 0;
  }
  const seed = wholeNumber(values.seed, Date.now() % 1_000_000, 'seed');
  const runs = wholeNumber(values.runs, 1, 'runs');
  const lastingMs = wholeNumber(values.lasting, values.durable === true ? 10_000 : 6000, 'lasting');
  const wanted: Wanted = { seed, runs, lastingMs, logs: values.logs ?? null };
  if (values.durable === true) {
    const durable = DURABLE_FAULTS.filter(({ name }) => (values.fault ?? name) === name);
    if (durable.length === 0) throw new UsageError('no such fault of durable channels');
    return (await runAllDurable(durable, { ...wanted, livesOn: values.living === true, print })) ? 0 : 1;
  }
  const driver = DRIVERS.find((one) => one === values.driver);
  if (driver === undefined) throw new UsageError('which driver?');
  const faults = FAULTS.filter(
    ({ name, drivers }) => drivers.includes(driver) && (values.fault ?? name) === name,
  );
  if (faults.length === 0) throw new UsageError('no such fault for this driver');
  return (await runAll(driver, faults, wanted)) ? 0 : 1;
}

interface Wanted {
  readonly seed: number;
  readonly runs: number;
  readonly lastingMs: number;
  /** Null: logs are not kept. */
  readonly logs: string | null;
}

async function runAll(
  driver: Driver,
  faults: typeof FAULTS,
  { seed, runs, lastingMs, logs }: Wanted,
): Promise<boolean> {
  print(`seed ${seed}`);
  const fleet = await Fleet.start(driver);
  let holds = true;
  try {
    for (const fault of faults) {
      const reports = [];
      for (let index = 0; index < runs; index += 1) {
        const report = await run(fleet, fault, { seed: seed + index, lastingMs, trafficMs: 1500 });
        print(lineOf(driver, report));
        for (const violation of report.violations.slice(0, 20)) print(`    ${violation}`);
        if (report.violations.length > 0 && logs !== null) fleet.writeLogs(logs);
        holds &&= report.violations.length === 0;
        reports.push(report);
      }
      print(sumOf(driver, fault.name, reports));
    }
  } finally {
    await fleet.release();
  }
  return holds;
}

// Processes of the fleet end with this one when it exits, which a signal alone would not make it do.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isUsage =
    error instanceof UsageError ||
    (error instanceof Error && 'code' in error && String(error.code).startsWith('ERR_PARSE'));
  process.stderr.write(
    `fleet: ${error instanceof Error ? (isUsage ? error.message : error.stack) : String(error)}\n`,
  );
  if (isUsage) process.stderr.write(`\n${HELP}`);
  process.exitCode = isUsage ? 2 : 1;
}
