import { type MessageLine, messageLine } from './message-line.js';

/** What a server says. All of it is told synchronously; bytes are valid during the call only. */
export interface IncomingListener {
  info(text: string): void;
  message(sid: number, subject: string, reply: string | null, head: Buffer | null, body: Buffer): void;
  ping(): void;
  pong(): void;
  /** Without the quotes around it. */
  error(text: string): void;
}

const MESSAGE = 'MSG ';
const HEADED = 'HMSG ';
/** The longest line: a greeting names every server of the cluster. */
const MAX_LINE_BYTES = 256 * 1024;
const NEW_LINE = 10;
const LINE_END_BYTES = 2;

/** Takes a server's bytes apart, however they are cut. Throws at what is not the protocol; it is of no use then. */
export class Incoming {
  /** The beginning of something that is not all here. */
  #pieces: Buffer[] = [];
  #held = 0;
  /** How much there must be before it is worth another look. */
  #needed = 0;

  /** @param listener is told from now on; another may be */
  constructor(public listener: IncomingListener) {}

  take(bytes: Buffer): void {
    if (this.#held === 0) {
      this.#keep(bytes, this.#read(bytes));
      return;
    }
    this.#pieces.push(Buffer.from(bytes));
    this.#held += bytes.byteLength;
    if (this.#held < this.#needed) return;
    const all = Buffer.concat(this.#pieces, this.#held);
    this.#pieces = [];
    this.#keep(all, this.#read(all));
  }

  #keep(bytes: Buffer, from: number): void {
    this.#held = bytes.byteLength - from;
    if (this.#held > 0) this.#pieces = [Buffer.from(bytes.subarray(from))];
  }

  /** @returns where that begins which is not all here */
  #read(bytes: Buffer): number {
    let at = 0;
    while (at < bytes.byteLength) {
      const end = bytes.indexOf(NEW_LINE, at);
      const lineBytes = (end === -1 ? bytes.byteLength : end) - at;
      if (lineBytes > MAX_LINE_BYTES) throw new Error('the server sent a line that is too long');
      if (end === -1) {
        this.#needed = lineBytes + 1;
        return at;
      }
      const next = this.#line(bytes, bytes.toString('latin1', at, end - 1), end + 1);
      if (next === -1) {
        this.#needed += end + 1 - at;
        return at;
      }
      at = next;
    }
    return at;
  }

  /** @returns where the next line begins; -1: the body of this one is not all here, `#needed` is what belongs to it */
  #line(bytes: Buffer, line: string, bodyAt: number): number {
    if (line.startsWith(MESSAGE))
      return this.#message(bytes, messageLine(line, MESSAGE.length, false), bodyAt);
    if (line.startsWith(HEADED)) return this.#message(bytes, messageLine(line, HEADED.length, true), bodyAt);
    const space = line.indexOf(' ');
    const verb = space === -1 ? line : line.slice(0, space);
    if (verb === 'PONG') this.listener.pong();
    else if (verb === 'PING') this.listener.ping();
    else if (verb === 'INFO') this.listener.info(Buffer.from(line.slice(space + 1), 'latin1').toString());
    else if (verb === '-ERR') this.listener.error(line.slice(space + 1).replace(/^'|'$/g, ''));
    else if (verb !== '+OK') throw new Error('the server does not speak the protocol of NATS');
    return bodyAt;
  }

  #message(
    bytes: Buffer,
    { sid, subject, reply, headBytes, totalBytes }: MessageLine,
    bodyAt: number,
  ): number {
    const end = bodyAt + totalBytes;
    if (end + LINE_END_BYTES > bytes.byteLength) {
      this.#needed = totalBytes + LINE_END_BYTES;
      return -1;
    }
    const head = headBytes === null ? null : bytes.subarray(bodyAt, bodyAt + headBytes);
    this.listener.message(sid, subject, reply, head, bytes.subarray(bodyAt + (headBytes ?? 0), end));
    return end + LINE_END_BYTES;
  }
}
