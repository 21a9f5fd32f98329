import type { LineOptions } from './lines.js';

/** Report of a worker to its supervisor: it serves; it has begun to stop. */
export type WorkerNews = 'ready' | 'draining';

/**
 * Order of a supervisor to a worker: stop, because of a signal to all (a second one: immediately); leave the port to
 * the siblings, because the others continue; reload the configuration; or every worker on the port serves.
 */
export type Order = { readonly stop: string } | 'all serve' | 'leave the port' | 'read again';

/** Whether the worker is one of the first, or replaces one that ended while its siblings serve. */
export type WorkerKind = 'first' | 'replacement';

/** Plan of several workers: the configuration needed by a supervisor. */
export interface WorkersPlan {
  readonly plan: {
    /** The arguments of every worker. */
    readonly args: readonly string[];
    /** Environment variables of each worker, in addition to the common ones. */
    readonly environments: readonly Readonly<Record<string, string | undefined>>[];
    /** From the order to stop to the end of a worker that does not obey. */
    readonly stopWithinMs: number;
    readonly lines: LineOptions;
  };
}

/** The variable by which a process knows that it is a worker, and of which kind. */
export const WORKER_VARIABLE = 'SERVICE_WORKER';

/** Its value in the child that reads the configuration for a supervisor. */
export const PLANNER = 'plan';

export const isPlan = (message: unknown): message is WorkersPlan =>
  typeof message === 'object' && message !== null && 'plan' in message;

export const isNews = (message: unknown): message is WorkerNews =>
  message === 'ready' || message === 'draining';

const WORDS: ReadonlySet<unknown> = new Set(['all serve', 'leave the port', 'read again']);

export function isOrder(message: unknown): message is Order {
  if (WORDS.has(message)) return true;
  return (
    typeof message === 'object' && message !== null && 'stop' in message && typeof message.stop === 'string'
  );
}
