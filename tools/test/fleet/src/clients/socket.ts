import { OPCODE, RawSocketClient } from '@carillon/testing';
import { channelAuth, SOCKET_PATH } from '../tenant.js';

/** One frame of the protocol. */
export interface Frame {
  readonly event: string;
  readonly channel?: string;
  readonly data?: unknown;
}

/** How a connection ended; null: without a close frame. */
export type Ended = number | null;

const FOREVER_MS = 2 ** 31 - 1;
const CONFIRM_WITHIN_MS = 15_000;

/** A connection of the protocol that answers pings and hands every other frame on. */
export class Socket {
  socketId = '';
  readonly #raw: RawSocketClient;
  readonly #onFrame: (frame: Frame) => void;
  readonly #answers = new Map<string, (frame: Frame) => void>();
  /** Settles when the connection is over. */
  readonly ended: Promise<Ended>;

  private constructor(raw: RawSocketClient, onFrame: (frame: Frame) => void) {
    this.#raw = raw;
    this.#onFrame = onFrame;
    this.ended = this.#read();
  }

  /** Resolves when the connection is established; rejects when it is not. */
  static async open(port: number, onFrame: (frame: Frame) => void): Promise<Socket> {
    const raw = await RawSocketClient.open(port, SOCKET_PATH);
    if (raw.answer.status !== 101) {
      raw.destroy();
      throw new Error(`HTTP ${raw.answer.status}`);
    }
    const socket = new Socket(raw, onFrame);
    const { data } = await socket.#answer('pusher:connection_established');
    socket.socketId = (JSON.parse(String(data)) as { socket_id: string }).socket_id;
    return socket;
  }

  /** Subscribes; on a presence channel as this user. Resolves with the confirmation. */
  subscribe(channel: string, userId?: string): Promise<Frame> {
    const channelData = userId === undefined ? undefined : JSON.stringify({ user_id: userId });
    const isSigned = /^(private|presence)-/.test(channel);
    const data = {
      channel,
      ...(isSigned ? { auth: channelAuth(this.socketId, channel, channelData) } : {}),
      ...(channelData === undefined ? {} : { channel_data: channelData }),
    };
    this.#raw.sendText(JSON.stringify({ event: 'pusher:subscribe', data }));
    return this.#answer(`pusher_internal:subscription_succeeded ${channel}`);
  }

  unsubscribe(channel: string): void {
    this.#raw.sendText(JSON.stringify({ event: 'pusher:unsubscribe', data: { channel } }));
  }

  /** Goes without a word. */
  vanish(): void {
    this.#raw.destroy();
  }

  #answer(name: string): Promise<Frame> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`waited in vain for ${name}`)), CONFIRM_WITHIN_MS);
      this.#answers.set(name, (frame) => {
        clearTimeout(timer);
        this.#answers.delete(name);
        if (frame.event === name.split(' ')[0]) resolve(frame);
        else reject(new Error(`${frame.event}: ${JSON.stringify(frame.data)}`));
      });
    });
  }

  async #read(): Promise<Ended> {
    let code: Ended = null;
    for (;;) {
      const frame = await this.#raw.next(FOREVER_MS).catch(() => null);
      if (frame === null) break;
      const { opcode, payload } = frame;
      if (opcode === OPCODE.ping) this.#raw.sendFrame(OPCODE.pong, payload);
      if (opcode === OPCODE.text) this.#take(JSON.parse(payload.toString()) as Frame);
      if (opcode === OPCODE.close) {
        // The service is done with it now; its side of the stream may stay open for a second more.
        code = payload.length < 2 ? 1005 : payload.readUInt16BE();
        break;
      }
    }
    this.#raw.destroy();
    const over: Frame = { event: 'the connection ended' };
    for (const settle of this.#answers.values()) settle(over);
    return code;
  }

  #take(frame: Frame): void {
    const { event, channel = '' } = frame;
    if (event === 'pusher:ping') this.#raw.sendText('{"event":"pusher:pong","data":{}}');
    const isRefusal = event === 'pusher:subscription_error';
    const name = isRefusal
      ? `pusher_internal:subscription_succeeded ${channel}`
      : `${event} ${channel}`.trim();
    const waiting = this.#answers.get(name);
    // What waits is told before anything else can come, so that a confirmation is never later than it was.
    if (waiting !== undefined) waiting(frame);
    this.#onFrame(frame);
  }
}
