import { RawConnection } from '@carillon/testing';
import type { Heard, Peer } from './port.js';

const CRLF = '\r\n';
const FOREVER_MS = 2 ** 31 - 1;

/** The few words of NATS that a peer needs. */
export class NatsPeer implements Peer {
  #subscriptions = 0;
  #heard: Heard = () => {};
  readonly #pongs: (() => void)[] = [];

  private constructor(private readonly connection: RawConnection) {
    void this.#read().catch(() => connection.destroy());
  }

  static async open(port: number): Promise<NatsPeer> {
    const connection = await RawConnection.open(port);
    connection.write(`CONNECT {"verbose":false,"echo":false}${CRLF}`);
    const peer = new NatsPeer(connection);
    await peer.#confirmed();
    return peer;
  }

  async hear(addresses: readonly string[], heard: Heard): Promise<void> {
    this.#heard = heard;
    for (const address of addresses) {
      this.#subscriptions += 1;
      this.connection.write(`SUB ${address} ${this.#subscriptions}${CRLF}`);
    }
    await this.#confirmed();
  }

  async send(address: string, text: string, replyTo?: string): Promise<void> {
    const bytes = Buffer.from(text);
    const to = replyTo === undefined ? address : `${address} ${replyTo}`;
    this.connection.write(
      Buffer.concat([Buffer.from(`PUB ${to} ${bytes.length}${CRLF}`), bytes, Buffer.from(CRLF)]),
    );
    await this.#confirmed();
  }

  close(): void {
    this.connection.destroy();
  }

  /** The server answers a ping once it has worked through what came before. */
  #confirmed(): Promise<void> {
    this.connection.write(`PING${CRLF}`);
    return new Promise((resolve) => this.#pongs.push(resolve));
  }

  async #read(): Promise<void> {
    for (;;) {
      const received = await this.connection.until((bytes) => bytes.includes(CRLF), FOREVER_MS);
      const line = (await this.connection.take(received.indexOf(CRLF) + 2)).toString().trim();
      const [word, address = '', ...rest] = line.split(' ');
      if (word === 'PING') this.connection.write(`PONG${CRLF}`);
      if (word === 'PONG') this.#pongs.shift()?.();
      if (word !== 'MSG') continue;
      const bytes = await this.connection.take(Number(rest.at(-1)) + 2, FOREVER_MS);
      // The number of the subscription, a reply address where there is one, the size.
      const [, replyTo] = rest.length === 3 ? rest : [];
      this.#heard(address, bytes.subarray(0, -2).toString(), replyTo);
    }
  }
}
