import { randomBytes } from 'node:crypto';
import { RawConnection, type RawTarget } from './raw-connection.js';
import { type RawAnswer, readAnswer, requestBytes } from './raw-http.js';

export const OPCODE = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;

/** A frame as it came. */
export interface RawFrame {
  readonly opcode: number;
  readonly isFinal: boolean;
  readonly payload: Buffer;
}

/** Deviations of a frame, as sent by hostile clients. */
export interface FrameOptions {
  readonly isFinal?: boolean;
  readonly isMasked?: boolean;
  /** Reserved bits of the first byte, 0 to 7. */
  readonly reserved?: number;
}

function lengthBytes(length: number): Buffer {
  if (length < 126) return Buffer.from([length]);
  if (length < 65_536) return Buffer.from([126, length >> 8, length & 255]);
  const bytes = Buffer.alloc(9);
  bytes[0] = 127;
  bytes.writeBigUInt64BE(BigInt(length), 1);
  return bytes;
}

/** The bytes of one frame as a client sends it. */
export function frameBytes(opcode: number, payload: string | Uint8Array, options: FrameOptions = {}): Buffer {
  const { isFinal = true, isMasked = true, reserved = 0 } = options;
  const body = Buffer.from(payload as string);
  const length = lengthBytes(body.length);
  const first = (isFinal ? 0x80 : 0) | (reserved << 4) | opcode;
  if (!isMasked) return Buffer.concat([Buffer.from([first]), length, body]);
  length[0] = (length[0] ?? 0) | 0x80;
  const mask = randomBytes(4);
  for (let index = 0; index < body.length; index += 1)
    body[index] = (body[index] ?? 0) ^ (mask[index % 4] ?? 0);
  return Buffer.concat([Buffer.from([first]), length, mask, body]);
}

/** The headers of a correct handshake. */
export const HANDSHAKE: Readonly<Record<string, string>> = {
  Upgrade: 'websocket',
  Connection: 'Upgrade',
  'Sec-WebSocket-Version': '13',
  'Sec-WebSocket-Key': 'dGhlIHNhbXBsZSBub25jZQ==',
};

/** A passive WebSocket client: no pongs, no checks, no close handshake. */
export class RawSocketClient {
  readonly connection: RawConnection;
  readonly answer: RawAnswer;

  private constructor(connection: RawConnection, answer: RawAnswer) {
    this.connection = connection;
    this.answer = answer;
  }

  /** Connects and upgrades; the answer has status 101 or the refusal. */
  static async open(
    target: RawTarget,
    path: string,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<RawSocketClient> {
    const connection = await RawConnection.open(target);
    connection.write(requestBytes({ path, headers: { ...HANDSHAKE, ...headers } }));
    return new RawSocketClient(connection, await readAnswer(connection));
  }

  sendText(text: string): void {
    this.connection.write(frameBytes(OPCODE.text, text));
  }

  sendFrame(opcode: number, payload: string | Uint8Array, options?: FrameOptions): void {
    this.connection.write(frameBytes(opcode, payload, options));
  }

  /** The next frame; fails when the connection ends first. */
  async next(timeoutMs?: number): Promise<RawFrame> {
    const [first = 0, second = 0] = await this.connection.take(2, timeoutMs);
    let length = second & 0x7f;
    if (length === 126) length = (await this.connection.take(2, timeoutMs)).readUInt16BE();
    else if (length === 127) length = Number((await this.connection.take(8, timeoutMs)).readBigUInt64BE());
    const payload = Buffer.from(await this.connection.take(length, timeoutMs));
    return { opcode: first & 15, isFinal: (first & 0x80) !== 0, payload };
  }

  /** Returns the text of the next frame of any kind. */
  async nextText(): Promise<string> {
    return (await this.next()).payload.toString();
  }

  /** The code of the close frame that comes next. */
  async closeCode(): Promise<number> {
    const { opcode, payload } = await this.next();
    if (opcode !== OPCODE.close) throw new Error(`a frame of kind ${opcode} came instead of a close frame`);
    return payload.length < 2 ? 1005 : payload.readUInt16BE();
  }

  destroy(): void {
    this.connection.destroy();
  }
}
