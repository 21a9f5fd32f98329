import { fork } from 'node:child_process';
import { isPlan, PLANNER, WORKER_VARIABLE, type WorkersPlan } from './messages.js';
import { supervise } from './supervise.js';

/**
 * Entry of a program that may run as several processes. In that case this process only supervises the others and
 * loads nothing of the program, to stay small. A short-lived child reads the configuration for it and prints its
 * faults, or how the workers are run.
 * @param run loads the program and runs it
 */
export async function launch(run: () => Promise<unknown>): Promise<void> {
  if (process.env[WORKER_VARIABLE] !== undefined || !asksForWorkers(process.argv.slice(2))) {
    await run();
    return;
  }
  const asked = await askForPlan();
  process.exitCode = typeof asked === 'number' ? asked : await supervise(asked);
}

/** Whether the command line may request more than one process; the child parses it exactly. */
const asksForWorkers = (argv: readonly string[]): boolean =>
  argv.some((argument, index) => /^--workers(=|$)/.test(argument) && argv[index + 1] !== '1');

/** The exit code instead, where there is nothing to supervise. */
function askForPlan(): Promise<WorkersPlan | number> {
  const child = fork(process.argv[1] ?? '', process.argv.slice(2), {
    env: { ...process.env, [WORKER_VARIABLE]: PLANNER },
    stdio: 'inherit',
  });
  let stopped = false;
  const stop = (): void => {
    stopped = true;
    child.kill('SIGKILL');
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  return new Promise((settle) => {
    let plan: WorkersPlan | null = null;
    child.on('message', (message) => {
      if (isPlan(message)) plan = message;
    });
    child.once('error', () => settle(1));
    child.once('exit', (code) => {
      process.off('SIGTERM', stop).off('SIGINT', stop);
      settle(stopped ? 0 : (plan ?? code ?? 1));
    });
  });
}
