import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';

/** How a door fails: connections are refused and reset, or everything stays open and nothing passes, or nothing comes in. */
export type Closing = 'refuses' | 'is silent' | 'answers nothing';

/** The connection of the node, and the one to the broker. */
type Pair = readonly [Socket, Socket];

/** One node's own way to the broker, which can be closed without touching anybody else's. */
export class Door {
  readonly #pairs = new Set<Pair>();
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
    for (const pair of this.#pairs) this.#fail(pair, closing);
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

  #fail([client, broker]: Pair, closing: Closing): void {
    if (closing === 'refuses') for (const socket of [client, broker]) socket.destroy();
    else broker.pause();
    if (closing === 'is silent') client.pause();
  }

  #accept(client: Socket): void {
    client.on('error', () => client.destroy());
    if (this.#closing === 'refuses') {
      client.destroy();
      return;
    }
    const broker = connect(this.targetPort, '127.0.0.1');
    const pair: Pair = [client, broker];
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
    if (this.#closing !== null) this.#fail(pair, this.#closing);
  }
}
