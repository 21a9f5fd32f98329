import { decode, encode } from '@msgpack/msgpack';
import { OPCODE, RawSocketClient } from '@carillon/testing';
import { expect } from 'vitest';
import type { Node } from '../harness/node.js';
import type { Tenant } from '../harness/tenant.js';
import { keyOf } from './key.js';

/** How a client wants its frames. */
export type AblyFormat = 'json' | 'msgpack';
/** A frame as it was understood. */
export type AblyFrame = Readonly<Record<string, unknown>>;

/** A client of Ably that sends what it is told and hides nothing that comes, in either format. */
export class RawAbly {
  private constructor(
    readonly raw: RawSocketClient,
    readonly format: AblyFormat,
  ) {}

  static async open(port: number, query: string, format: AblyFormat = 'json'): Promise<RawAbly> {
    return new RawAbly(await RawSocketClient.open(port, `/?format=${format}&${query}`), format);
  }

  send(frame: object): void {
    if (this.format === 'json') this.raw.sendText(JSON.stringify(frame));
    else this.raw.sendFrame(OPCODE.binary, encode(frame));
  }

  /** Fails on a frame that is not of the format. */
  async next(): Promise<AblyFrame> {
    const { opcode, payload } = await this.raw.next();
    if (opcode !== (this.format === 'json' ? OPCODE.text : OPCODE.binary))
      throw new Error(`a frame of kind ${opcode} came`);
    return (this.format === 'json' ? JSON.parse(payload.toString()) : decode(payload)) as AblyFrame;
  }

  /** What comes next of an action, and not what comes before. */
  async until(action: number): Promise<AblyFrame> {
    for (;;) {
      const frame = await this.next();
      if (frame['action'] === action) return frame;
    }
  }

  /** What came by now, before the answer to a heartbeat. */
  async rest(): Promise<readonly AblyFrame[]> {
    this.send({ action: 0, id: 'end' });
    const frames: AblyFrame[] = [];
    for (;;) {
      const frame = await this.next();
      if (frame['action'] === 0 && frame['id'] === 'end') return frames;
      frames.push(frame);
    }
  }

  /** The frame that says why it ends, and the code of the close. */
  async ended(): Promise<readonly [frame: AblyFrame, code: number]> {
    return [await this.next(), await this.raw.closeCode()];
  }

  close(): void {
    this.raw.destroy();
  }
}

/** Clients of one node in one format, to be closed after each test. */
export class RawAblies {
  readonly #open: RawAbly[] = [];

  constructor(
    private readonly node: Pick<Node, 'port'>,
    private readonly tenant: Tenant,
    private readonly format: AblyFormat,
  ) {}

  /** One that nothing has come on yet. */
  async socket(query: string): Promise<RawAbly> {
    const client = await RawAbly.open(this.node.port, query, this.format);
    this.#open.push(client);
    return client;
  }

  /** One that is connected, and what it was told. */
  async connect(more = '', tenant = this.tenant) {
    const client = await this.socket(`key=${keyOf(tenant)}${more}`);
    const connected = await client.next();
    expect(connected).toMatchObject({ action: 4 });
    const { connectionKey = '' } = connected['connectionDetails'] as { connectionKey?: string };
    return { client, connected, id: String(connected['connectionId']), connectionKey };
  }

  close(): void {
    for (const one of this.#open.splice(0)) one.close();
  }
}

/** What an attach is answered. */
export async function attach(client: RawAbly, channel: string, more: object = {}): Promise<AblyFrame> {
  client.send({ action: 10, channel, ...more });
  return client.next();
}
