import type { LineOptions } from './lines.js';

/** What a worker tells its supervisor: it serves; it has begun to stop. */
export type WorkerNews = 'ready' | 'draining';

/**
 * What a supervisor tells a worker: stop, because of a signal to all of them (a second one: at once); leave the port
 * to the siblings, because the others go on; read the configuration again; or that every worker on the port serves.
 */
export type Order = { readonly stop: string } | 'all serve' | 'leave the port' | 'read again';

/** Whether the worker is one of the first, or stands in for one that ended while its siblings serve. */
export type WorkerKind = 'first' | 'replacement';

/** How several workers are run: what a supervisor has to know of the configuration. */
export interface WorkersPlan {
  readonly plan: {
    /** The arguments of every worker. */
    readonly args: readonly string[];
    /** What sets each worker apart, on top of the environment they share; one for each. */
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
