import { writeSync } from 'node:fs';
import { lines } from './lines.js';
import type { WorkersPlan } from './messages.js';
import { Supervisor } from './supervisor.js';

/** Runs this program as several workers until a signal has stopped them; resolves with the exit code. */
export async function supervise({ plan }: WorkersPlan): Promise<number> {
  const { args, environments, stopWithinMs } = plan;
  const supervisor = new Supervisor({
    count: environments.length,
    program: (index) => ({
      script: process.argv[1] ?? '',
      args,
      env: { ...process.env, ...environments[index] },
    }),
    stopWithinMs,
    log: lines(plan.lines, { write: print }),
  });
  const onSignal = (name: NodeJS.Signals): void => supervisor.signal(name);
  process.on('SIGTERM', onSignal).on('SIGINT', onSignal);
  process.on('SIGHUP', () => supervisor.readAgain());
  return supervisor.ended;
}

/** Ignores errors: a closed pipe must not end the supervisor. */
function print(line: string): void {
  try {
    writeSync(1, line);
  } catch {
    // There is nowhere left to report it.
  }
}
