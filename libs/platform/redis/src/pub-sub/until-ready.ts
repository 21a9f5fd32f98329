import { COMMAND_TIMEOUT_MS, type RedisClient } from '../client.js';
import { RedisUnavailable } from '../failures.js';

/**
 * Connects a client that was not connected yet. Rejects with the first thing that went wrong, in 5 s at the latest:
 * the client's own promise may stay silent when a cluster changes meanwhile. Closes nothing.
 */
export function untilReady(client: RedisClient): Promise<void> {
  return new Promise((resolve, reject) => {
    let reason: string | null = null;
    const note = (error: unknown): void => {
      if (error instanceof Error) reason ??= error.message;
    };
    const fail = (otherwise: string): void => {
      clearTimeout(timer);
      reject(new RedisUnavailable('lost', reason ?? otherwise));
    };
    const timer = setTimeout(() => fail(`not connected in ${COMMAND_TIMEOUT_MS} ms`), COMMAND_TIMEOUT_MS);
    client.on('error', note);
    client.on('node error', note);
    client.once('end', () => fail('the connection was closed'));
    client.once('ready', () => {
      clearTimeout(timer);
      resolve();
    });
    client.connect().catch(note);
  });
}
