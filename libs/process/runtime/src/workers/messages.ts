/** What a worker tells its supervisor: it serves; it has begun to stop. */
export type WorkerNews = 'ready' | 'draining';

/**
 * What a supervisor tells a worker: stop, because of a signal to all of them (a second one: at once); leave the port
 * to the siblings, because the others go on; or read the configuration again.
 */
export type Order = { readonly stop: string } | 'leave the port' | 'read again';

/** Whether the worker is one of the first, or stands in for one that ended while its siblings serve. */
export type WorkerKind = 'first' | 'replacement';

/** The variable by which a process knows that it is a worker, and of which kind. */
export const WORKER_VARIABLE = 'SERVICE_WORKER';

export const isNews = (message: unknown): message is WorkerNews =>
  message === 'ready' || message === 'draining';

export function isOrder(message: unknown): message is Order {
  if (message === 'leave the port' || message === 'read again') return true;
  return (
    typeof message === 'object' && message !== null && 'stop' in message && typeof message.stop === 'string'
  );
}
