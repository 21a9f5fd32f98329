import {
  loadWireFormat,
  type ReceivedFrame,
  type WireFormat,
  type WireFormatV2,
  WireNames,
} from '@carillon/protocol';
import { mintCapabilityToken, prepareSigningKey, signChannelAuth } from '@carillon/auth';
import { frameBytes, OPCODE, RawSocketClient } from '@carillon/testing';
import { onTestFinished } from 'vitest';
import { placeOf, type Place } from './place.js';

const KEY = prepareSigningKey({ appId: 'shop', key: 'shop-key', secret: 'shop-secret' });

/** A capability token of the app `shop`, good for a while. */
export function token(
  clientId: string,
  capability: Readonly<Record<string, readonly string[]>>,
  { jti = `t-${clientId}`, seconds = 600 } = {},
): string {
  const now = Math.floor(Date.now() / 1000);
  return mintCapabilityToken(KEY, { clientId, capability, issuedAt: now, expiresAt: now + seconds, jti });
}

/** A frame as a client gets it. */
export type ToldFrame = ReceivedFrame & Place;

/** A protocol 2 client in one wire format. */
export class ClientV2 {
  /** Every frame, in order. */
  readonly frames: ToldFrame[] = [];
  /** The same as they came. */
  readonly payloads: Buffer[] = [];
  closeCode: number | null = null;
  closeReason = '';
  socketId = '';
  #together: Buffer[] | null = null;

  private constructor(
    private readonly raw: RawSocketClient,
    private readonly format: WireFormatV2,
  ) {}

  static async connect(port: number, format: WireFormat, query = '', prefix = 'service'): Promise<ClientV2> {
    const wire = await loadWireFormat(format, new WireNames(prefix));
    const raw = await RawSocketClient.open(port, `/app/shop-key?protocol=2&format=${format}${query}`);
    onTestFinished(() => raw.destroy());
    const client = new ClientV2(raw, wire);
    const first = await client.next();
    if (first?.event === `${prefix}:connection_established`) {
      client.socketId = (JSON.parse(client.text(first)) as { socket_id: string }).socket_id;
    }
    return client;
  }

  send(
    event: string,
    data?: unknown,
    more: { channel?: string; messageId?: string; extras?: object } = {},
  ): void {
    const { channel, messageId, extras } = more;
    const frame = this.format.encode({
      event,
      ...(channel === undefined ? {} : { channel }),
      ...(messageId === undefined ? {} : { messageId }),
      ...(data === undefined ? {} : { dataText: JSON.stringify(data) }),
      ...(extras === undefined ? {} : { extrasText: JSON.stringify(extras) }),
    });
    const opcode = typeof frame === 'string' ? OPCODE.text : OPCODE.binary;
    if (this.#together !== null) this.#together.push(frameBytes(opcode, frame));
    else this.raw.sendFrame(opcode, frame);
  }

  /** Sends several frames in one write. */
  together(send: () => void): void {
    this.#together = [];
    send();
    this.raw.connection.write(Buffer.concat(this.#together));
    this.#together = null;
  }

  subscribe(channel: string, more: object = {}, user?: string): void {
    const channelData = user === undefined ? undefined : JSON.stringify({ user_id: user });
    const isSigned = channel.startsWith('private-') || channel.startsWith('presence-');
    const auth = isSigned
      ? signChannelAuth(KEY, { socketId: this.socketId, channel, channelData })
      : undefined;
    this.send('service:subscribe', { channel, auth, channel_data: channelData, ...more });
  }

  /** Returns the next frame of that event; earlier ones stay in `frames`. */
  async until(event: string): Promise<ToldFrame> {
    for (;;) {
      const frame = await this.next();
      if (frame === null) throw new Error(`closed with ${this.closeCode} before ${event}`);
      if (frame.event === event) return frame;
    }
  }

  /** Null: the service closed. */
  async next(): Promise<ToldFrame | null> {
    for (;;) {
      const { opcode, payload } = await this.raw.next();
      if (opcode === OPCODE.close) {
        this.closeCode = payload.readUInt16BE(0);
        this.closeReason = payload.subarray(2).toString();
        return null;
      }
      if (opcode === OPCODE.ping || opcode === OPCODE.pong) continue;
      const isBinary = opcode === OPCODE.binary;
      if (isBinary === (this.format.format === 'json')) throw new Error(`opcode ${opcode}`);
      const bytes = Uint8Array.from(payload).buffer;
      const decoded = this.format.decode(bytes);
      if (!decoded.ok) throw new Error(decoded.problem);
      const frame = { ...decoded.frame, ...placeOf(this.format.format, payload) };
      this.frames.push(frame);
      this.payloads.push(payload);
      return frame;
    }
  }

  /** Whether it reads at all. */
  set reads(doesIt: boolean) {
    const { socket } = this.raw.connection;
    if (doesIt) socket.resume();
    else socket.pause();
  }

  close(): void {
    this.raw.destroy();
  }

  async untilClose(): Promise<number | null> {
    while ((await this.next()) !== null);
    return this.closeCode;
  }

  /** Returns the frames since the last call, after everything sent so far was answered. */
  async heard(): Promise<readonly ToldFrame[]> {
    this.send('service:ping');
    await this.until('service:pong');
    return this.frames.splice(0).filter(({ event }) => event !== 'service:pong');
  }

  /** Data of a frame as a value. */
  value(frame: ReceivedFrame): unknown {
    return frame.data.kind === 'json' ? frame.data.value : undefined;
  }

  text(frame: ReceivedFrame): string {
    return String(this.value(frame));
  }
}
