import type { DropReason } from './trace.js';

/** Where the events of a tail go, as server-sent events. */
export interface TailSink {
  /** Whether the reader has not taken everything yet: nothing may be written until it is drained. */
  readonly isBehind: boolean;
  write(text: string): void;
  end(): void;
}

/** Most that waits for a slow reader. */
const MAX_WAITING_BYTES = 1024 * 1024;

/** Writes the events of one tail and keeps a bounded amount for a slow reader. */
export class TailReader {
  #waiting: string[] = [];
  #waitingBytes = 0;
  #isOver = false;

  constructor(
    private readonly sink: TailSink,
    private readonly maxWaitingBytes = MAX_WAITING_BYTES,
  ) {}

  /** Whether an event of this size can be taken without going over the bound. */
  hasRoom(bytes: number): boolean {
    return !this.sink.isBehind || this.#waitingBytes + bytes <= this.maxWaitingBytes;
  }

  event(name: string, data: object, id?: number): void {
    const head = id === undefined ? '' : `id: ${id}\n`;
    this.#write(`${head}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  gap(dropped: number, reason: DropReason): void {
    this.event('gap', { dropped, reason });
  }

  ping(): void {
    if (!this.sink.isBehind) this.#write(': ping\n\n');
  }

  /** Writes what waits, as far as the reader takes it. */
  drained(): void {
    if (this.#waiting.length === 0 || this.sink.isBehind) return;
    const text = this.#waiting.join('');
    this.#waiting = [];
    this.#waitingBytes = 0;
    this.sink.write(text);
    if (this.#isOver) this.#end();
  }

  /** Writes the last event and ends the stream once the reader has taken it. */
  end(reason: string): void {
    if (this.#isOver) return;
    this.event('end', { reason });
    this.#isOver = true;
    if (this.#waiting.length === 0) this.#end();
  }

  #write(text: string): void {
    if (this.#isOver) return;
    if (!this.sink.isBehind && this.#waiting.length === 0) return this.sink.write(text);
    this.#waiting.push(text);
    this.#waitingBytes += Buffer.byteLength(text);
  }

  #end(): void {
    this.sink.end();
  }
}
