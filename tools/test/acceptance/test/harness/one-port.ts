import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** One port in front of several, each connection to the next of those that answer. */
export class OnePort {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** Of each connection: the client, and whom it speaks with. */
  readonly #pairs = new Set<readonly [client: Socket, upstream: Socket]>();
  #next = 0;

  constructor(readonly targets: number[]) {
    this.#server = createServer((client) => {
      this.#next += 1;
      const upstream = connect(this.targets[this.#next % this.targets.length] ?? 0, '127.0.0.1');
      for (const socket of [client, upstream]) {
        this.#sockets.add(socket);
        socket.on('error', () => [client, upstream].forEach((one) => one.destroy()));
      }
      client.pipe(upstream).pipe(client);
      const pair = [client, upstream] as const;
      this.#pairs.add(pair);
      client.on('close', () => this.#pairs.delete(pair));
    });
  }

  /** Resolves with its port; 0: one that is free. */
  listen(port = 0): Promise<number> {
    return new Promise((done) => {
      this.#server.listen(port, '127.0.0.1', () => done((this.#server.address() as AddressInfo).port));
    });
  }

  /** What clients that are connected say still arrives, and they are told nothing any more. */
  mute(): void {
    for (const [client, upstream] of this.#pairs) {
      upstream.unpipe(client);
      upstream.resume();
      upstream.on('close', () => client.destroy());
    }
  }

  /** Ends all connections without a word; others may come. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
  }

  close(): void {
    this.cut();
    this.#server.close();
  }
}
