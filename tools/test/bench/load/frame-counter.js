// Counts the WebSocket frames of a server's byte stream. Payloads are stepped over, not read: what the client costs must
// not hide what the server costs. Only control frames, and what a caller asks to see, are gathered.

const LARGEST_KEPT_BYTES = 64 * 1024;
/** @type {Buffer} */
const EMPTY = Buffer.alloc(0);

/** How a frame of this opcode is told apart. */
export const OPCODE = { text: 1, binary: 2, close: 8, ping: 9, pong: 10 };

/** Feed it chunks as they come, cut anywhere; it counts finished messages and reports frames. */
export class FrameCounter {
  /** Finished text and binary messages. */
  messages = 0;
  /** @type {Buffer} */
  #head = EMPTY;
  #remaining = 0;
  #opcode = 0;
  #final = true;
  #keptBytes = 0;
  /** @type {Buffer[] | null} */
  #kept = null;

  /**
   * @param {object} watch
   * @param {(opcode: number, payload: Buffer) => void} watch.onFrame called for every control frame, and for data
   *   frames while `keepData` says so; at most 64 KiB of a payload are handed over
   * @param {(bytes: number) => boolean} watch.keepData asked at the start of each data frame, with its payload's size
   */
  constructor({ onFrame, keepData }) {
    this.onFrame = onFrame;
    this.keepData = keepData;
  }

  /** @param {Buffer} chunk */
  push(chunk) {
    let at = 0;
    let bytes = chunk;
    if (this.#head.length > 0) {
      bytes = Buffer.concat([this.#head, chunk]);
      this.#head = EMPTY;
    }
    while (at < bytes.length) {
      if (this.#remaining === 0) {
        const headBytes = this.#startFrame(bytes, at);
        if (headBytes === 0) {
          this.#head = bytes.subarray(at);
          return;
        }
        at += headBytes;
      }
      at += this.#step(bytes, at);
    }
  }

  /** Reads the frame head at this place; 0 when it is not complete yet. @param {Buffer} bytes @param {number} at */
  #startFrame(bytes, at) {
    if (bytes.length - at < 2) return 0;
    const short = bytes.readUInt8(at + 1) & 0x7f;
    const headBytes = short === 126 ? 4 : short === 127 ? 10 : 2;
    if (bytes.length - at < headBytes) return 0;
    const first = bytes.readUInt8(at);
    this.#final = (first & 0x80) !== 0;
    this.#opcode = first & 0x0f;
    if (short < 126) this.#remaining = short;
    else if (short === 126) this.#remaining = bytes.readUInt16BE(at + 2);
    else this.#remaining = Number(bytes.readBigUInt64BE(at + 2));
    this.#keptBytes = 0;
    this.#kept = this.#opcode >= OPCODE.close || this.keepData(this.#remaining) ? [] : null;
    return headBytes;
  }

  /** Steps over what is there of the payload; returns how much that was. @param {Buffer} bytes @param {number} at */
  #step(bytes, at) {
    const size = Math.min(this.#remaining, bytes.length - at);
    const room = LARGEST_KEPT_BYTES - this.#keptBytes;
    if (this.#kept !== null && size > 0 && room > 0) {
      const part = bytes.subarray(at, at + Math.min(size, room));
      this.#kept.push(part);
      this.#keptBytes += part.length;
    }
    this.#remaining -= size;
    if (this.#remaining === 0) this.#finish();
    return size;
  }

  #finish() {
    if (this.#opcode < OPCODE.close && this.#final) this.messages += 1;
    const kept = this.#kept;
    this.#kept = null;
    if (kept === null) return;
    this.onFrame(this.#opcode, kept.length === 1 && kept[0] !== undefined ? kept[0] : Buffer.concat(kept));
  }
}
