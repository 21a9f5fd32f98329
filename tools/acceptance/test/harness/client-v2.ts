import { OPCODE, RawSocketClient } from '@carillon/testing';
import { onTestFinished } from 'vitest';
import type { Node } from './node.js';
import { channelAuth, userAuth } from './signatures.js';
import type { Tenant } from './tenant.js';

/** A frame of protocol 2 as JSON shows it. */
export interface FrameV2 {
  readonly event: string;
  readonly channel?: string;
  readonly name?: string;
  readonly data?: unknown;
  readonly user_id?: string;
  readonly message_id?: string;
  readonly stream_id?: string;
  readonly serial?: number;
  readonly extras?: {
    readonly headers?: Readonly<Record<string, string | number>>;
    readonly [name: string]: unknown;
  };
}

/** A connection of protocol 2 in JSON that sends what it is told and hides nothing that comes. It ends with its test. */
export class ClientV2 {
  /** Empty until the connection is established. */
  socketId = '';

  private constructor(
    private readonly raw: RawSocketClient,
    private readonly tenant: Tenant,
  ) {}

  static async connect(node: Node, query = '', port = node.port): Promise<ClientV2> {
    const { tenant } = node;
    const raw = await node.upgrade(`/app/${tenant.key}?protocol=2${query}`, {}, port);
    onTestFinished(() => raw.destroy());
    if (raw.answer.status !== 101) throw new Error(`HTTP ${raw.answer.status}: ${raw.answer.body}`);
    const client = new ClientV2(raw, tenant);
    const { event, data } = await client.next();
    if (event !== 'service:connection_established') throw new Error(`${event} came first`);
    client.socketId = (JSON.parse(String(data)) as { socket_id: string }).socket_id;
    return client;
  }

  send(frame: object): void {
    this.raw.sendText(JSON.stringify(frame));
  }

  /** The next frame; fails on a close. */
  async next(): Promise<FrameV2> {
    for (;;) {
      const { opcode, payload } = await this.raw.next();
      if (opcode === OPCODE.text) return JSON.parse(payload.toString()) as FrameV2;
      if (opcode === OPCODE.close) throw new Error(`closed: ${payload.toString('utf8', 2)}`);
    }
  }

  /** The next frame of that event; what comes before it is not looked at. */
  async until(event: string): Promise<FrameV2> {
    for (let frame = await this.next(); ; frame = await this.next()) if (frame.event === event) return frame;
  }

  /** Everything that was on its way: what comes before the answer to a ping sent now. */
  async pending(): Promise<FrameV2[]> {
    this.send({ event: 'service:ping' });
    const frames: FrameV2[] = [];
    for (let frame = await this.next(); frame.event !== 'service:pong'; frame = await this.next())
      frames.push(frame);
    return frames;
  }

  /** Asks for a channel, signed where its name asks for it; reads nothing. */
  ask(channel: string, data: object = {}): void {
    const isSigned = channel.startsWith('private-');
    const auth = isSigned ? { auth: channelAuth(this.tenant, this.socketId, channel) } : {};
    this.send({ event: 'service:subscribe', data: { channel, ...auth, ...data } });
  }

  /** Subscribes; the answer must be a success, and is given back. */
  async subscribe(channel: string, data: object = {}): Promise<FrameV2> {
    this.ask(channel, data);
    const frame = await this.next();
    if (frame.event !== 'service_internal:subscription_succeeded')
      throw new Error(`not subscribed: ${JSON.stringify(frame)}`);
    return frame;
  }

  /** Signs in; the answer must be a success. */
  async signin(userId: string, more: object = {}): Promise<void> {
    const userData = JSON.stringify({ id: userId, ...more });
    const auth = userAuth(this.tenant, this.socketId, userData);
    this.send({ event: 'service:signin', data: { auth, user_data: userData } });
    const { event } = await this.next();
    if (event !== 'service:signin_success') throw new Error(`not signed in: ${event}`);
  }
}
