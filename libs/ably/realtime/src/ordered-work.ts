import { CompatError } from '@carillon/ably-core';
import type { Hub } from '@carillon/realtime';
import type { CompatConnection } from './connection.js';
import { ACTION } from './flags.js';
import type { Life } from './life.js';

/** Runs the requests of each connection one after the other, in the order of their frames. */
export class OrderedWork {
  constructor(
    private readonly hub: Hub,
    private readonly life: Life,
  ) {}

  /**
   * Runs `work` after all earlier requests of the connection. `bytes` is the size of the frame, which counts against the
   * limit of waiting frames; a connection over the limit is disconnected. A `CompatError` of the work ends the connection.
   */
  add(connection: CompatConnection, bytes: number, work: () => Promise<void>): void {
    const done = async (): Promise<void> => {
      try {
        await work();
      } catch (error) {
        if (!(error instanceof CompatError)) throw error;
        this.life.refuse(connection, error);
      }
    };
    // A client that reconnects repeats requests without an answer.
    if (!connection.queue.add(bytes, done, this.hub.onTrouble))
      this.life.end(connection, ACTION.disconnected, new CompatError(42_911, 'too many frames wait').body);
  }
}
