import type { ResponseStream } from '@carillon/uws';

/**
 * Text that many responses are sent in one turn of the event loop: streams that have the same text before and get the same block
 * share the text after it, and its bytes are encoded once.
 */
export class SharedText {
  #before = '';
  #block = '';
  #after = '';
  #written = '';
  #bytes: Buffer | null = null;

  append(before: string, block: string): string {
    if (before === '') return block;
    if (before !== this.#before || block !== this.#block) {
      this.#before = before;
      this.#block = block;
      this.#after = before + block;
    }
    return this.#after;
  }

  /** Writes a text of `bytes` bytes. A text that is written a second time is encoded once for all further writes. */
  write(stream: ResponseStream, text: string, bytes: number): void {
    if (text !== this.#written) {
      this.#written = text;
      this.#bytes = null;
      return stream.write(text, bytes);
    }
    this.#bytes ??= Buffer.from(text);
    stream.write(this.#bytes, bytes);
  }

  /** Forgets the texts, which are of a turn that is over. */
  clear(): void {
    this.#before = this.#block = this.#after = this.#written = '';
    this.#bytes = null;
  }
}
