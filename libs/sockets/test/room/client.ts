import { prepareSigningKey, signChannelAuth, signUserAuth, type SigningKey } from '@carillon/auth';
import { OPCODE, RawSocketClient, type RawFrame } from '@carillon/testing';

/** A frame of the service as a client reads it. */
export interface Frame {
  readonly event: string;
  readonly channel?: string;
  readonly data?: unknown;
  readonly user_id?: string;
}

const keyOf = (app: string): SigningKey =>
  prepareSigningKey({ appId: app, key: `${app}-key`, secret: `${app}-secret` });

export interface ConnectOptions {
  /** Default `shop`. */
  readonly app?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A protocol 1 client that keeps everything it is sent. */
export class Client {
  /** Every frame but pongs, in order. */
  readonly frames: Frame[] = [];
  /** Code of the server's close frame; null: none arrived. */
  closeCode: number | null = null;
  socketId = '';

  private constructor(
    readonly raw: RawSocketClient,
    private readonly key: SigningKey,
  ) {}

  /** Connects and reads the first frame. */
  static async connect(
    port: number,
    { app = 'shop', path = `/app/${app}-key?protocol=7`, headers = {} }: ConnectOptions = {},
  ): Promise<Client> {
    const client = new Client(await RawSocketClient.open(port, path, headers), keyOf(app));
    if (client.raw.answer.status !== 101) return client;
    const first = await client.next();
    if (first?.event === 'pusher:connection_established') {
      client.socketId = (JSON.parse(String(first.data)) as { socket_id: string }).socket_id;
      client.frames.pop();
    }
    return client;
  }

  send(event: string, more: Partial<Frame> = {}): void {
    this.raw.sendText(JSON.stringify({ event, ...more }));
  }

  /**
   * Signed where the channel requires it. On a presence channel the member is `user`, or the signed-in user when
   * undefined.
   */
  subscribe(channel: string, user?: string, info?: unknown): void {
    this.send('pusher:subscribe', { data: this.subscription(channel, user, info) });
  }

  subscription(channel: string, user?: string, info?: unknown): object {
    const channelData =
      user === undefined
        ? undefined
        : JSON.stringify({ user_id: user, ...(info === undefined ? {} : { user_info: info }) });
    const isSigned = channel.startsWith('private-') || channel.startsWith('presence-');
    const subject = { socketId: this.socketId, channel, channelData };
    return {
      channel,
      ...(channelData === undefined ? {} : { channel_data: channelData }),
      ...(isSigned ? { auth: signChannelAuth(this.key, subject) } : {}),
    };
  }

  unsubscribe(channel: string): void {
    this.send('pusher:unsubscribe', { data: { channel } });
  }

  signin(id: string, more: object = {}): void {
    const userData = JSON.stringify({ id, ...more });
    const auth = signUserAuth(this.key, { socketId: this.socketId, userData });
    this.send('pusher:signin', { data: { auth, user_data: userData } });
  }

  /** The next frame; null when the connection has ended instead. */
  async next(): Promise<Frame | null> {
    const raw = await this.#raw();
    if (raw === null) return null;
    if (raw.opcode === OPCODE.close) {
      this.closeCode = raw.payload.length < 2 ? 1005 : raw.payload.readUInt16BE();
      return null;
    }
    const frame = JSON.parse(raw.payload.toString()) as Frame;
    if (frame.event !== 'pusher:pong') this.frames.push(frame);
    return frame;
  }

  /** Returns all frames up to the answer to a ping sent now. */
  async heard(): Promise<readonly Frame[]> {
    this.send('pusher:ping');
    for (let frame = await this.next(); frame !== null; frame = await this.next()) {
      if (frame.event === 'pusher:pong') break;
    }
    return this.frames;
  }

  /** Returns the frames since the last call, in short form. */
  async news(): Promise<readonly string[]> {
    await this.heard();
    return this.frames.splice(0).map(short);
  }

  /** Reads until such a frame comes. */
  async until(event: string, channel?: string): Promise<Frame> {
    for (let frame = await this.next(); frame !== null; frame = await this.next()) {
      if (frame.event === event && (channel === undefined || frame.channel === channel)) return frame;
    }
    throw new Error(`closed ${this.closeCode} before ${event}`);
  }

  /** Reads until the connection ends; the code of the close frame, null without one. */
  async untilClose(): Promise<number | null> {
    while ((await this.next()) !== null);
    return this.closeCode;
  }

  /** Closes with a close frame. */
  close(code = 1000): void {
    const payload = Buffer.alloc(2);
    payload.writeUInt16BE(code);
    this.raw.sendFrame(OPCODE.close, payload);
  }

  /** Drops the socket without a close frame. */
  drop(): void {
    this.raw.destroy();
  }

  async #raw(): Promise<RawFrame | null> {
    try {
      return await this.raw.next();
    } catch (error) {
      if (this.raw.connection.ended) return null;
      throw error;
    }
  }
}

/** A frame in short: event without its prefix, channel and payload. */
export function short({ event, channel, data, user_id }: Frame): string {
  const name = event.replace(/^pusher(_internal)?:/, '');
  const text = typeof data === 'string' ? data : data === undefined ? '' : JSON.stringify(data);
  return [name, channel ?? '', text, user_id ?? ''].filter((part) => part !== '').join(' ');
}
