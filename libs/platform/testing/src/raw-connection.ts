import { connect as connectPlain, type NetConnectOpts, type Socket } from 'node:net';
import { connect as connectTls, type ConnectionOptions } from 'node:tls';

/** Target of a connection: a port of 127.0.0.1, or Node's own options; `tls` makes it a TLS connection. */
export type RawTarget = number | NetConnectOpts | (ConnectionOptions & { readonly tls: true });

/** Timeout of a read; the test then fails with the received bytes. */
const READ_MS = 10_000;

function open(target: RawTarget): Socket {
  if (typeof target === 'number') return connectPlain({ port: target, host: '127.0.0.1' });
  if ('tls' in target) return connectTls({ host: '127.0.0.1', rejectUnauthorized: false, ...target });
  return connectPlain(target);
}

/** A connection that writes exactly the given bytes and keeps all received ones. */
export class RawConnection {
  readonly socket: Socket;
  /** Received bytes that were not taken yet. */
  received: Buffer = Buffer.alloc(0);
  /** Whether the other side has ended or reset the connection. */
  ended = false;
  #wake: (() => void)[] = [];

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk: Buffer) => {
      this.received = Buffer.concat([this.received, chunk]);
      this.#woken();
    });
    socket.on('error', () => this.#over());
    socket.on('end', () => this.#over());
    socket.on('close', () => this.#over());
  }

  static open(target: RawTarget): Promise<RawConnection> {
    return new Promise((opened, failed) => {
      const socket = open(target);
      const connection = new RawConnection(socket);
      socket.once('error', failed);
      socket.once(typeof target === 'object' && 'tls' in target ? 'secureConnect' : 'connect', () =>
        opened(connection),
      );
    });
  }

  /** Text is written as Latin-1: one character, one byte. */
  write(bytes: string | Uint8Array): void {
    if (!this.socket.writable) return;
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  }

  /** Ends the writing side; the peer may continue. */
  halfClose(): void {
    this.socket.end();
  }

  destroy(): void {
    this.socket.destroy();
  }

  /** Waits until the received bytes satisfy `enough`; fails with them at the end of the connection or the timeout. */
  async until(enough: (received: Buffer) => boolean, timeoutMs = READ_MS): Promise<Buffer> {
    const deadline = Date.now() + timeoutMs;
    while (!enough(this.received)) {
      if (this.ended || Date.now() >= deadline)
        throw new Error(
          `${this.ended ? 'ended' : 'waited too long'} after ${JSON.stringify(this.received.toString('latin1'))}`,
        );
      await this.#change(deadline - Date.now());
    }
    return this.received;
  }

  /** Waits for text. */
  async untilText(text: string): Promise<string> {
    return (await this.until((received) => received.includes(text, 0, 'latin1'))).toString('latin1');
  }

  /** Removes bytes from the front of the received ones, waiting for that many. */
  async take(length: number, timeoutMs = READ_MS): Promise<Buffer> {
    await this.until((received) => received.length >= length, timeoutMs);
    const taken = this.received.subarray(0, length);
    this.received = this.received.subarray(length);
    return taken;
  }

  /** Waits until the other side ends; false when it did not in time. */
  async untilEnd(timeoutMs = READ_MS): Promise<boolean> {
    const deadline = Date.now() + timeoutMs;
    while (!this.ended && Date.now() < deadline) await this.#change(deadline - Date.now());
    return this.ended;
  }

  #over(): void {
    this.ended = true;
    this.#woken();
  }

  #woken(): void {
    const waiting = this.#wake;
    this.#wake = [];
    for (const wake of waiting) wake();
  }

  #change(timeoutMs: number): Promise<void> {
    return new Promise((changed) => {
      const timer = setTimeout(changed, Math.max(0, timeoutMs));
      this.#wake.push(() => {
        clearTimeout(timer);
        changed();
      });
    });
  }
}
