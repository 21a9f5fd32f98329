import { OPCODE } from '@carillon/testing';
import { onTestFinished } from 'vitest';
import type { Node } from './node.js';
import { type FrameTransport, SessionClient, type SessionForm } from './session-client.js';
import { channelAuth, userAuth } from './signatures.js';
import type { Tenant } from './tenant.js';
import type { FrameV2, SentFrame } from './wire-frame.js';
import { decode, encode, type Format } from './wire-v2.js';

export type { FrameV2 } from './wire-frame.js';

/** Where a client is in a channel. */
export interface Position {
  readonly stream_id: string;
  readonly serial: number;
}

/** A resume as it was answered. */
export interface Resumed {
  readonly recovered: readonly {
    readonly channel: string;
    readonly source: string;
    readonly replayed: number;
    readonly position: Position;
  }[];
  readonly failed: readonly Readonly<Record<string, unknown>>[];
}

/** How a client connects. */
export interface ConnectV2 {
  readonly format?: Format | undefined;
  /** More of the query, from its `&` on. */
  readonly query?: string | undefined;
  readonly port?: number;
  /** Absent: a WebSocket. */
  readonly transport?: 'websocket' | SessionForm | undefined;
  /** Where the frames of a session go; absent: to its own gateway. */
  readonly postPort?: number | undefined;
  /** Absent: the first app of the node. */
  readonly tenant?: Tenant | undefined;
}

/** How a connection ended: what came before, and what the close said. */
export interface EndedV2 {
  readonly frames: readonly FrameV2[];
  readonly code: number;
  readonly reason: string;
}

/** The close frame came instead. */
class Closed extends Error {
  constructor(
    readonly code: number,
    readonly reason: string,
  ) {
    super(`closed: ${code} ${reason}`);
  }
}

/** A connection of protocol 2 that sends what it is told and hides nothing that comes. It ends with its test. */
export class ClientV2 {
  /** Empty until the connection is established. */
  socketId = '';

  private constructor(
    private readonly raw: FrameTransport,
    private readonly tenant: Tenant,
    readonly format: Format,
  ) {}

  /** A connection that nothing has come on yet. */
  static async open(
    node: Node,
    {
      format = 'json',
      query = '',
      port = node.port,
      tenant = node.tenant,
      transport = 'websocket',
      postPort = port,
    }: ConnectV2 = {},
  ): Promise<ClientV2> {
    if (transport !== 'websocket') {
      const session = await SessionClient.open({ port, postPort, key: tenant.key, query, form: transport });
      onTestFinished(() => session.destroy());
      return new ClientV2(session, tenant, format);
    }
    const path = `/app/${tenant.key}?protocol=2&format=${format}${query}`;
    const raw = await node.upgrade(path, {}, port);
    onTestFinished(() => raw.destroy());
    if (raw.answer.status !== 101) throw new Error(`HTTP ${raw.answer.status}: ${raw.answer.body}`);
    return new ClientV2(raw, tenant, format);
  }

  static async connect(node: Node, how: ConnectV2 = {}): Promise<ClientV2> {
    const client = await ClientV2.open(node, how);
    const { event, data } = await client.next();
    if (event !== 'service:connection_established') throw new Error(`${event} came first`);
    client.socketId = (JSON.parse(String(data)) as { socket_id: string }).socket_id;
    return client;
  }

  send(frame: SentFrame): void {
    this.sendBytes(encode(this.format, frame));
  }

  /** Bytes in a frame as its format has it. */
  sendBytes(bytes: Buffer): void {
    this.raw.sendFrame(this.format === 'json' ? OPCODE.text : OPCODE.binary, bytes);
  }

  /** The next frame, which must be of its format; fails on a close. */
  async next(): Promise<FrameV2> {
    const wanted = this.format === 'json' ? OPCODE.text : OPCODE.binary;
    for (;;) {
      const { opcode, payload } = await this.raw.next();
      if (opcode === OPCODE.ping || opcode === OPCODE.pong) continue;
      if (opcode === OPCODE.close) throw new Closed(payload.readUInt16BE(), payload.toString('utf8', 2));
      if (opcode !== wanted) throw new Error(`opcode ${opcode}: ${payload.toString('utf8')}`);
      return decode(this.format, payload);
    }
  }

  /** Reads until the service closes. */
  async ended(): Promise<EndedV2> {
    const frames: FrameV2[] = [];
    for (;;) {
      try {
        frames.push(await this.next());
      } catch (error) {
        if (!(error instanceof Closed)) throw error;
        return { frames, code: error.code, reason: error.reason };
      }
    }
  }

  /** The next frame of that event; what comes before it is not looked at. */
  async until(event: string): Promise<FrameV2> {
    for (let frame = await this.next(); ; frame = await this.next()) if (frame.event === event) return frame;
  }

  /** Everything up to the first frame of that event, which is the last. */
  async through(event: string): Promise<FrameV2[]> {
    const frames = [await this.next()];
    while (frames.at(-1)?.event !== event) frames.push(await this.next());
    return frames;
  }

  /** Everything that was on its way: what comes before the answer to a ping sent now. */
  async pending(): Promise<FrameV2[]> {
    this.send({ event: 'service:ping' });
    return (await this.through('service:pong')).slice(0, -1);
  }

  /** Asks for a channel, signed where its name asks for it, as a member if a user is named; reads nothing. */
  ask(channel: string, data: object = {}, user?: string | number): void {
    const channelData = user === undefined ? {} : { channel_data: JSON.stringify({ user_id: user }) };
    const isSigned = /^(private|presence)-/.test(channel);
    const auth = isSigned
      ? { auth: channelAuth(this.tenant, this.socketId, channel, channelData.channel_data) }
      : {};
    this.send({ event: 'service:subscribe', data: { channel, ...auth, ...channelData, ...data } });
  }

  /** Subscribes; the answer must be a success, and is given back. */
  async subscribe(channel: string, data: object = {}, user?: string | number): Promise<FrameV2> {
    this.ask(channel, data, user);
    const frame = await this.next();
    if (frame.event !== 'service_internal:subscription_succeeded')
      throw new Error(`not subscribed: ${JSON.stringify(frame)}`);
    return frame;
  }

  /** Asks for a channel and must be refused: with this code, and this status. */
  async refused(channel: string, data: object = {}): Promise<readonly [code: unknown, status: unknown]> {
    this.ask(channel, data);
    const { event, data: told } = await this.next();
    if (event !== 'service:error') throw new Error(`no error: ${event}`);
    const { data: error } = await this.until('service:subscription_error');
    return [(told as { code: number }).code, (error as { status: number }).status];
  }

  async unsubscribe(channel: string): Promise<readonly FrameV2[]> {
    this.send({ event: 'service:unsubscribe', data: { channel } });
    return this.pending();
  }

  /** Signs in; the answer must be a success. */
  async signin(userId: string, more: object = {}): Promise<void> {
    const userData = JSON.stringify({ id: userId, ...more });
    const auth = userAuth(this.tenant, this.socketId, userData);
    this.send({ event: 'service:signin', data: { auth, user_data: userData } });
    const { event } = await this.next();
    if (event !== 'service:signin_success') throw new Error(`not signed in: ${event}`);
  }

  /** Goes without a word. */
  vanish(): void {
    this.raw.destroy();
  }

  /** Asks to go on from there; reads nothing. */
  askResume(positions: Readonly<Record<string, Position>>): void {
    this.send({ event: 'service:resume', data: { channel_positions: positions } });
  }

  /**
   * Asks to go on from there; resolves with everything that came, but for the answers, and what those said. A channel whose
   * subscription is still under way is answered behind it, in a frame of its own.
   */
  async resume(
    positions: Readonly<Record<string, Position>>,
  ): Promise<{ readonly frames: readonly FrameV2[]; readonly answer: Resumed }> {
    this.askResume(positions);
    const frames: FrameV2[] = [];
    const recovered: Resumed['recovered'][number][] = [];
    const failed: Resumed['failed'][number][] = [];
    do {
      const some = await this.through('service:resume_success');
      const answer = JSON.parse(String(some.pop()?.data)) as Resumed;
      frames.push(...some);
      recovered.push(...answer.recovered);
      failed.push(...answer.failed);
    } while (recovered.length + failed.length < Object.keys(positions).length);
    return { frames, answer: { recovered, failed } };
  }
}

/** Where a subscription or a message stands. */
export function positionOf({ stream_id, serial }: FrameV2): Position {
  if (stream_id === undefined || serial === undefined) throw new Error('it has no position');
  return { stream_id, serial };
}
