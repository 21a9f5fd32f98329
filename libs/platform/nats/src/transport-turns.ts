/** A transport of the official client. */
export type Transport = 'tcp' | 'websocket';

/**
 * Opens connections of one transport at a time. The official client keeps its transport in a variable of the process and
 * reads it until a connection is open, so that two transports at the same time would mix up their connections. Waits
 * are bounded by the time limit of the connections before.
 */
export class TransportTurns {
  readonly #opening = new Set<Promise<unknown>>();
  #transport: Transport = 'tcp';

  /** Calls `connect` as soon as no connection of another transport is being opened. */
  async open<Result>(transport: Transport, connect: () => Promise<Result>): Promise<Result> {
    while (this.#transport !== transport && this.#opening.size > 0) await Promise.allSettled(this.#opening);
    this.#transport = transport;
    const opening = connect();
    this.#opening.add(opening);
    try {
      return await opening;
    } finally {
      this.#opening.delete(opening);
    }
  }
}
