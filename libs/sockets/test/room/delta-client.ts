import { createRequire } from 'node:module';
import { prepareSigningKey, signChannelAuth } from '@carillon/auth';
import { OPCODE, RawSocketClient } from '@carillon/testing';
import { applyDelta } from 'fossil-delta';
import { onTestFinished } from 'vitest';

const { decode } = createRequire(import.meta.url)('@ably/vcdiff-decoder') as {
  decode(delta: Uint8Array, base: Uint8Array): Uint8Array;
};

const KEY = prepareSigningKey({ appId: 'shop', key: 'shop-key', secret: 'shop-secret' });

/** One message as a client has it, and how it came. */
export interface Got {
  readonly text: string;
  readonly how: 'delta' | 'full' | 'plain';
  /** Null: it is part of no sequence. */
  readonly sequence: number | null;
  readonly group: string;
  readonly channel: string;
}

interface Read {
  readonly event: string;
  readonly channel?: string;
  readonly data?: unknown;
}

interface Delta {
  readonly event: string;
  readonly delta: string;
  readonly seq: number;
  readonly base_index: number;
  readonly algorithm?: string;
  readonly conflation_key?: string;
}

const TRACKED = /,"__delta_seq":(\d+)(?:,"__conflation_key":"([^"\\]*)")?\}$/;

/** A client of protocol 2 that takes texts apart as texts, and has differences decoded by the libraries of others. */
export class DeltaClient {
  /** Messages, in order. */
  readonly got: Got[] = [];
  /** Frames that are no messages. */
  readonly told: Read[] = [];
  readonly #bases = new Map<string, { readonly text: string; readonly sequence: number }>();

  private constructor(private readonly raw: RawSocketClient) {}

  static async connect(port: number, query = ''): Promise<DeltaClient> {
    const raw = await RawSocketClient.open(port, `/app/shop-key?protocol=2${query}`);
    onTestFinished(() => raw.destroy());
    const client = new DeltaClient(raw);
    await client.until('service:connection_established');
    return client;
  }

  get socketId(): string {
    const { data } = this.told[0] ?? {};
    return (JSON.parse(String(data)) as { socket_id: string }).socket_id;
  }

  send(event: string, data: unknown = {}, channel?: string): void {
    this.raw.sendText(JSON.stringify({ event, channel, data }));
  }

  async subscribe(channel: string, more: object = {}): Promise<void> {
    const { socketId } = this;
    const auth = channel.startsWith('private-') ? signChannelAuth(KEY, { socketId, channel }) : undefined;
    this.send('service:subscribe', { channel, auth, ...more });
    await this.until('service_internal:subscription_succeeded');
  }

  /** Returns the next frame of that event. */
  async until(event: string): Promise<Read> {
    for (;;) {
      const read = await this.#next();
      if (read.event === event) return read;
    }
  }

  /** The messages that came since the last call. */
  async messages(): Promise<readonly Got[]> {
    this.send('service:ping');
    await this.until('service:pong');
    return this.got.splice(0);
  }

  async #next(): Promise<Read> {
    for (;;) {
      const { opcode, payload } = await this.raw.next();
      if (opcode === OPCODE.close) throw new Error(`closed with ${payload.readUInt16BE(0)}`);
      if (opcode === OPCODE.text) return this.#read(payload.toString());
    }
  }

  #read(text: string): Read {
    const read = JSON.parse(text) as Read & { readonly __delta_seq?: number };
    if (read.event === 'service:delta') this.#applied(read.channel ?? '', read.data as Delta);
    else if (read.event.startsWith('service')) {
      this.told.push(read);
      if (read.event === 'service:delta_cache_sync') this.#sync(read);
    } else this.#message(text, read.channel ?? '', read.__delta_seq);
    return read;
  }

  #message(text: string, channel: string, sequence: number | undefined): void {
    if (sequence === undefined) {
      this.got.push({ text, how: 'plain', sequence: null, group: '', channel });
      return;
    }
    const [members = '', , group = ''] = TRACKED.exec(text) ?? [];
    if (members === '') throw new Error(`not at the end: ${text}`);
    const base = `${text.slice(0, -members.length)}}`;
    this.#bases.set(`${channel} ${group}`, { text: base, sequence });
    this.got.push({ text: base, how: 'full', sequence, group, channel });
  }

  #applied(channel: string, { delta, seq, base_index, algorithm, conflation_key: group = '' }: Delta): void {
    const base = this.#bases.get(`${channel} ${group}`);
    if (base?.sequence !== base_index) throw new Error(`base ${base_index} of ${group} is not here`);
    const [from, bytes] = [Buffer.from(base.text), Buffer.from(delta, 'base64')];
    const target = algorithm === 'xdelta3' ? decode(bytes, from) : applyDelta(from, bytes);
    const text = Buffer.from(target).toString();
    this.#bases.set(`${channel} ${group}`, { text, sequence: seq });
    this.got.push({ text, how: 'delta', sequence: seq, group, channel });
  }

  #sync({ channel, data }: Read): void {
    const { states } = JSON.parse(String(data)) as {
      states: Record<string, readonly { readonly content: string; readonly seq: number }[]>;
    };
    for (const [group, bases] of Object.entries(states)) {
      for (const { content: text, seq: sequence } of bases)
        this.#bases.set(`${channel} ${group}`, { text, sequence });
    }
  }
}

/** Returns the forms of messages in short. */
export const ways = (got: readonly Got[]): string[] =>
  got.map(({ how, sequence, group }) =>
    [how, sequence, group].filter((part) => part !== null && part !== '').join(' '),
  );
