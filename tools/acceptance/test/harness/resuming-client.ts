import { OPCODE, type RawSocketClient } from '@carillon/testing';
import { decode, encode, type Format, type FrameV2 } from './wire-v2.js';
import type { Node } from './node.js';
import { channelAuth } from './signatures.js';
import type { Tenant } from './tenant.js';

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

/** A connection of protocol 2 in one wire format. */
export class ResumingClient {
  socketId = '';

  private constructor(
    private readonly raw: RawSocketClient,
    readonly tenant: Tenant,
    readonly format: Format,
  ) {}

  static async connect(node: Node, format: Format = 'json', query = ''): Promise<ResumingClient> {
    const { tenant } = node;
    const { raw } = await node.socket(tenant, { query: `protocol=2&format=${format}${query}` });
    const client = new ResumingClient(raw, tenant, format);
    const { event, data } = await client.next();
    if (event !== 'service:connection_established') throw new Error(`${event} came first`);
    client.socketId = (JSON.parse(String(data)) as { socket_id: string }).socket_id;
    return client;
  }

  send(event: string, data: unknown = {}): void {
    const bytes = encode(this.format, event, data);
    this.raw.sendFrame(this.format === 'json' ? OPCODE.text : OPCODE.binary, bytes);
  }

  async next(timeoutMs?: number): Promise<FrameV2> {
    const wanted = this.format === 'json' ? OPCODE.text : OPCODE.binary;
    for (;;) {
      const { opcode, payload } = await this.raw.next(timeoutMs);
      if (opcode === OPCODE.ping || opcode === OPCODE.pong) continue;
      if (opcode !== wanted) throw new Error(`opcode ${opcode}: ${payload.toString('utf8', 2)}`);
      return decode(this.format, payload);
    }
  }

  /** Everything up to the first frame of that event, which is the last. */
  async until(event: string): Promise<readonly FrameV2[]> {
    const frames: FrameV2[] = [];
    for (;;) {
      const frame = await this.next();
      frames.push(frame);
      if (frame.event === event) return frames;
    }
  }

  /** What was on its way. */
  async pending(): Promise<readonly FrameV2[]> {
    this.send('service:ping');
    return (await this.until('service:pong')).slice(0, -1);
  }

  /** Subscribes, signed where the name asks for it; the answer must be a success. */
  async subscribe(channel: string, more: object = {}): Promise<FrameV2> {
    const isSigned = channel.startsWith('private-');
    const auth = isSigned ? channelAuth(this.tenant, this.socketId, channel) : undefined;
    this.send('service:subscribe', { channel, auth, ...more });
    const frame = await this.next();
    if (frame.event !== 'service_internal:subscription_succeeded')
      throw new Error(`not subscribed: ${JSON.stringify(frame)}`);
    return frame;
  }

  /** The connection is lost. */
  lose(): void {
    this.raw.destroy();
  }

  /** Asks to go on from there; resolves with everything that came before the answer, and the answer. */
  async resume(
    positions: Readonly<Record<string, Position>>,
  ): Promise<{ readonly frames: readonly FrameV2[]; readonly answer: Resumed }> {
    this.send('service:resume', { channel_positions: positions });
    const frames = await this.until('service:resume_success');
    return { frames: frames.slice(0, -1), answer: JSON.parse(String(frames.at(-1)?.data)) as Resumed };
  }
}

/** Where a subscription or a message stands. */
export function positionOf({ stream_id, serial }: FrameV2): Position {
  if (stream_id === undefined || serial === undefined) throw new Error('it has no position');
  return { stream_id, serial };
}
