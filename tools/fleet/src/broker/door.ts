import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** How a door fails: connections are refused and reset, or everything stays open and nothing passes. */
export type Closing = 'refuses' | 'is silent';

/** One node's own way to the broker, which can be closed without touching anybody else's. */
export class Door {
  readonly #pairs = new Set<readonly [Socket, Socket]>();
  #closing: Closing | null = null;
  /** Bytes that went from the broker to the node. */
  inboundBytes = 0;

  private constructor(
    private readonly server: Server,
    private readonly targetPort: number,
  ) {
    server.on('connection', (client) => this.#accept(client));
  }

  static async to(targetPort: number): Promise<Door> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new Door(server, targetPort);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  shut(closing: Closing): void {
    this.#closing = closing;
    for (const pair of this.#pairs) {
      for (const socket of pair) {
        if (closing === 'refuses') socket.destroy();
        else socket.pause();
      }
    }
  }

  /** What waited passes now, as after a broken line was mended. */
  open(): void {
    this.#closing = null;
    for (const pair of this.#pairs) for (const socket of pair) socket.resume();
  }

  close(): void {
    for (const pair of this.#pairs) for (const socket of pair) socket.destroy();
    this.server.close();
  }

  #accept(client: Socket): void {
    client.on('error', () => client.destroy());
    if (this.#closing === 'refuses') {
      client.destroy();
      return;
    }
    const broker = connect(this.targetPort, '127.0.0.1');
    const pair = [client, broker] as const;
    this.#pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        this.#pairs.delete(pair);
        client.destroy();
        broker.destroy();
      });
    }
    client.on('data', (bytes) => broker.write(bytes));
    broker.on('data', (bytes) => {
      this.inboundBytes += bytes.length;
      client.write(bytes);
    });
    if (this.#closing === 'is silent') for (const socket of pair) socket.pause();
  }
}
