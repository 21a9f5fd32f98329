import { type LogFields, Logger } from '@carillon/runtime';
import { configuration } from '@carillon/testing';
import { onTestFinished } from 'vitest';
import type { Job, Queue, QueueObserver, Reliability } from '../src/index.js';

/** A store that the queues of one test share, if the driver can share. */
export interface Scene {
  /** One process' queue, connected; closed when the test ends. */
  open(options?: OpenOptions): Promise<Queue>;
  /** Disconnects one process from the broker permanently. Absent where there is none. */
  cut?(queue: Queue): void;
}

export interface OpenOptions extends Partial<Reliability> {
  readonly onSettled?: QueueObserver['settled'];
  readonly onClaimed?: QueueObserver['claimed'];
  readonly log?: Logger;
}

/** Everything as configured by default, but with times that tests can wait for. */
export function quick(options: Partial<Reliability> = {}): Reliability {
  return {
    ...configuration().queue.reliability,
    retry_base_delay_ms: 20,
    retry_max_delay_ms: 60,
    lease_duration_ms: 20_000,
    lease_renew_interval_ms: 100,
    worker_poll_interval_ms: 50,
    shutdown_timeout_ms: 2000,
    ...options,
  };
}

export interface Line {
  readonly level: string;
  readonly message: string;
  readonly fields: LogFields;
}

/** A log that keeps its lines. */
export function recordingLog(): { readonly log: Logger; readonly lines: readonly Line[] } {
  const lines: Line[] = [];
  const log = new Logger('service::queue', 'debug', (level, _, message, fields = {}) => {
    lines.push({ level, message, fields });
  });
  return { log, lines };
}

/** Waits until it is so; the runner's time-out ends it. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await condition())) await sleep(10);
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** A promise and the function that resolves it; resolved at the end of the test at the latest. */
export function gate(): { readonly opened: Promise<void>; readonly open: () => void } {
  const controller = new AbortController();
  const opened = new Promise<void>((resolve) => {
    controller.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const open = () => controller.abort();
  onTestFinished(open);
  return { opened, open };
}

/** Consumes a queue and records its jobs. */
export function collect(queue: Queue, name: string, concurrency = 1): Job[] {
  const jobs: Job[] = [];
  queue.process(
    name,
    async (job) => {
      jobs.push(job);
    },
    { concurrency },
  );
  return jobs;
}
