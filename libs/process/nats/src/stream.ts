import { connect, isIP, type Socket } from 'node:net';
import { connect as secure } from 'node:tls';
import { POISON, POISON_VARIABLE } from '@carillon/collections';
import { hostnameOf, type Place } from './places.js';

const isPoisoning = process.env[POISON_VARIABLE] === 'true';
/** Where servers are unless it is said. */
const PORT = 4222;
const READ_BYTES = 64 * 1024;
/** The server's side is closed by then, or nobody waits for it. */
const END_WITHIN_MS = 1000;

export interface StreamParts {
  readonly place: Place;
  /** The bytes are valid during the call only. */
  readonly read: (bytes: Buffer) => void;
  /** Told once, when there is nothing more to read or to write. */
  readonly ended: (reason: string) => void;
}

/** Bytes to and from one server. What it reads goes from one buffer straight to the reader, past Node's streams. */
export class Stream {
  #socket: Socket;
  #reason = 'the connection was closed';
  #isOver = false;

  constructor(private readonly parts: StreamParts) {
    const buffer = Buffer.allocUnsafeSlow(READ_BYTES);
    const callback = (bytes: number): boolean => {
      const lent = buffer.subarray(0, bytes);
      parts.read(lent);
      if (isPoisoning) lent.fill(POISON);
      return true;
    };
    this.#socket = connect({
      ...this.#address,
      noDelay: true,
      onread: { buffer, callback },
    });
    this.#watch(this.#socket);
  }

  get #address(): { readonly host: string; readonly port: number } {
    const { host } = this.parts.place;
    const { port } = new URL(`nats://${host}`);
    return { host: hostnameOf(host) ?? '', port: port === '' ? PORT : Number(port) };
  }

  /** From here on through TLS, with the authorities that Node trusts. Before anything was written. */
  secure(): void {
    const host = this.parts.place.name ?? this.#address.host;
    this.#socket = secure({ socket: this.#socket, host, servername: isIP(host) === 0 ? host : '' });
    this.#socket.on('data', (bytes: Buffer) => this.parts.read(bytes));
    this.#watch(this.#socket);
  }

  write(text: string): void {
    this.#socket.write(text);
  }

  /** Lets what was written leave. Idempotent. */
  end(): void {
    this.#socket.end();
    setTimeout(() => this.#socket.destroy(), END_WITHIN_MS).unref();
  }

  /** At once, for this reason. Idempotent. */
  destroy(reason: string): void {
    if (!this.#isOver) this.#reason = reason;
    this.#socket.destroy();
  }

  #watch(socket: Socket): void {
    socket.on('error', ({ message, code }: NodeJS.ErrnoException) => {
      // A host with several addresses, none of which works, is an error without a message.
      this.#reason = message || (code ?? this.#reason);
    });
    socket.once('close', () => {
      if (this.#isOver || socket !== this.#socket) return;
      this.#isOver = true;
      this.parts.ended(this.#reason);
    });
  }
}
