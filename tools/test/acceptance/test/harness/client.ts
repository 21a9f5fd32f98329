import { frameBytes, OPCODE, RawSocketClient } from '@carillon/testing';
import { type ErrorFrame, type Frame, PING, PONG } from './frames.js';
import { channelAuth, userAuth } from './signatures.js';
import type { Tenant } from './tenant.js';

/** How a connection ended. */
export interface Ended {
  /** Text frames that came before. */
  readonly texts: string[];
  /** Null: the transport ended without a close frame. */
  readonly code: number | null;
  readonly reason: string;
}

/** Parts of a subscription that a test may set to anything. */
export type SubscribeData = Readonly<Record<string, unknown>>;

const ERROR_FORM =
  /^\{"event":"pusher:error"(,"channel":(?:"[^"\\]*(?:\\.[^"\\]*)*"))?,"data":\{"code":\d+,"message":"/;

/** A connection of protocol 1 that sends what it is told and hides nothing that comes. */
export class Client {
  readonly raw: RawSocketClient;
  readonly tenant: Tenant;
  /** Empty until the connection is established. */
  socketId = '';

  constructor(raw: RawSocketClient, tenant: Tenant) {
    this.raw = raw;
    this.tenant = tenant;
  }

  /** Reads the first frame, which must establish the connection. */
  async established(): Promise<this> {
    const { event, data } = await this.next();
    if (event !== 'pusher:connection_established') throw new Error(`${event} came first`);
    this.socketId = (JSON.parse(String(data)) as { socket_id: string }).socket_id;
    return this;
  }

  /** The text of the next data frame; fails on a close frame, naming it. Pings and pongs of WebSocket are skipped. */
  async nextText(timeoutMs?: number): Promise<string> {
    for (;;) {
      const { opcode, payload } = await this.raw.next(timeoutMs);
      if (opcode === OPCODE.text) return payload.toString();
      if (opcode === OPCODE.close)
        throw new Error(
          `closed: ${payload.length < 2 ? 1005 : payload.readUInt16BE()} ${payload.toString('utf8', 2)}`,
        );
      if (opcode === OPCODE.binary) throw new Error('a binary frame came');
    }
  }

  async next(timeoutMs?: number): Promise<Frame> {
    return JSON.parse(await this.nextText(timeoutMs)) as Frame;
  }

  /** The next frame, which must be an error in the form every error has. */
  async nextError(timeoutMs?: number): Promise<ErrorFrame> {
    const text = await this.nextText(timeoutMs);
    if (!ERROR_FORM.test(text)) throw new Error(`no error frame: ${text}`);
    const frame = JSON.parse(text) as ErrorFrame;
    if (Object.keys(frame.data).join() !== 'code,message') throw new Error(`other members: ${text}`);
    return frame;
  }

  /** Everything that was on its way: what comes before the answer to a ping sent now. */
  async pending(): Promise<string[]> {
    this.send(PING);
    const texts: string[] = [];
    for (let text = await this.nextText(); text !== PONG; text = await this.nextText()) texts.push(text);
    return texts;
  }

  /** Reads until the connection ends. */
  async ended(timeoutMs?: number): Promise<Ended> {
    const texts: string[] = [];
    for (;;) {
      const frame = await this.raw.next(timeoutMs).catch(() => null);
      if (frame === null) return { texts, code: null, reason: '' };
      const { opcode, payload } = frame;
      if (opcode === OPCODE.text) texts.push(payload.toString());
      if (opcode === OPCODE.close)
        return {
          texts,
          code: payload.length < 2 ? 1005 : payload.readUInt16BE(),
          reason: payload.toString('utf8', 2),
        };
    }
  }

  /** A text frame: text as it is, anything else as its JSON. */
  send(frame: unknown): void {
    this.raw.sendText(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  /** Asks for a channel with whatever else the test wants in `data`; reads nothing. */
  ask(channel: string, data: SubscribeData = {}): void {
    this.send({ event: 'pusher:subscribe', data: { channel, ...data } });
  }

  /** Asks for a channel with a valid signature; `channelData` is signed too when it is given. */
  askSigned(channel: string, channelData?: string, more: SubscribeData = {}): void {
    this.ask(channel, {
      auth: channelAuth(this.tenant, this.socketId, channel, channelData),
      ...(channelData === undefined ? {} : { channel_data: channelData }),
      ...more,
    });
  }

  /** Subscribes, signed where the name asks for it; resolves with the text of the answer, which must be a success. */
  async subscribe(channel: string, more: SubscribeData = {}): Promise<string> {
    if (channel.startsWith('private-')) this.askSigned(channel, undefined, more);
    else this.ask(channel, more);
    return this.#success();
  }

  /** Joins a presence channel as a user; resolves with the text of the answer, which must be a success. */
  async join(channel: string, userId: string | number, userInfo?: unknown): Promise<string> {
    this.askSigned(channel, JSON.stringify({ user_id: userId, user_info: userInfo }));
    return this.#success();
  }

  async #success(): Promise<string> {
    const text = await this.nextText();
    if (!text.startsWith('{"event":"pusher_internal:subscription_succeeded"'))
      throw new Error(`not subscribed: ${text}`);
    return text;
  }

  /** Asks to be a user; reads nothing. */
  askSignin(userData: string, auth = userAuth(this.tenant, this.socketId, userData)): void {
    this.send({ event: 'pusher:signin', data: { auth, user_data: userData } });
  }

  /** Signs in; the answer must be a success. */
  async signin(userId: string, more: Readonly<Record<string, unknown>> = {}): Promise<void> {
    this.askSignin(JSON.stringify({ id: userId, ...more }));
    const text = await this.nextText();
    if (!text.startsWith('{"event":"pusher:signin_success"')) throw new Error(`not signed in: ${text}`);
  }

  unsubscribe(channel: string): void {
    this.send({ event: 'pusher:unsubscribe', data: { channel } });
  }

  /** Says goodbye with a close frame and waits until the server has ended the connection. */
  async close(code = 1000): Promise<void> {
    this.raw.connection.write(frameBytes(OPCODE.close, Buffer.from([code >> 8, code & 255])));
    await this.raw.connection.untilEnd();
    this.vanish();
  }

  /** Goes without a word. */
  vanish(): void {
    this.raw.destroy();
  }
}
