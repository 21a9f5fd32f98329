import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { onTestFinished } from 'vitest';
import type { FrameV2 } from './wire-frame.js';

/** One server-sent event, by its lines. */
export interface Block {
  readonly retry?: string;
  readonly id?: string;
  /** `message` where the block has no line of it. */
  readonly event: string;
  /** The text of its data. */
  readonly data: string;
  /** A comment, which is all that the block is. */
  readonly comment?: string;
}

export interface EventRequest {
  readonly port: number;
  readonly path: string;
  readonly method?: 'GET' | 'POST';
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A reader of server-sent events that hides nothing; it ends with its test. */
export class EventReader {
  readonly #blocks: Block[] = [];
  #wake: () => void = () => {};
  #isOver = false;
  #text = '';

  private constructor(
    private readonly asked: ClientRequest,
    readonly response: IncomingMessage,
  ) {
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => this.#take(chunk));
    response.on('close', () => {
      this.#isOver = true;
      this.#wake();
    });
    response.on('error', () => undefined);
  }

  static open({ port, path, method = 'GET', body, headers = {} }: EventRequest): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      const accept = { accept: 'text/event-stream' };
      const asked = request({ host: '127.0.0.1', port, path, method, headers: { ...accept, ...headers } });
      asked.on('error', reject);
      asked.on('response', (response) => resolve(new EventReader(asked, response)));
      asked.end(body === undefined ? undefined : JSON.stringify(body));
      onTestFinished(() => void asked.destroy());
    });
  }

  get status(): number {
    return this.response.statusCode ?? 0;
  }

  /** The next event; comments are passed over. Rejects when the body has ended. */
  async next(): Promise<Block> {
    for (;;) {
      const block = await this.any();
      if (block.comment === undefined) return block;
    }
  }

  /** The next event or comment. */
  async any(): Promise<Block> {
    for (;;) {
      const block = this.#blocks.shift();
      if (block !== undefined) return block;
      if (this.#isOver) throw new Error('the body has ended');
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Everything up to the first event of that type, which is the last. */
  async through(event: string): Promise<Block[]> {
    const blocks = [await this.next()];
    while (blocks.at(-1)?.event !== event) blocks.push(await this.next());
    return blocks;
  }

  async until(event: string): Promise<Block> {
    return (await this.through(event)).at(-1) as Block;
  }

  /** So many messages, whatever other events come. */
  async messages(count: number): Promise<Block[]> {
    const found: Block[] = [];
    while (found.length < count) {
      const block = await this.next();
      if (block.event === 'message') found.push(block);
    }
    return found;
  }

  /** Everything until the end of the body. */
  async rest(): Promise<Block[]> {
    const blocks: Block[] = [];
    try {
      for (;;) blocks.push(await this.next());
    } catch {
      return blocks;
    }
  }

  /** The body as text, of an answer that is no stream. */
  async json(): Promise<Record<string, unknown>> {
    while (!this.#isOver) await new Promise<void>((resolve) => (this.#wake = resolve));
    return JSON.parse(this.#text) as Record<string, unknown>;
  }

  /** Stops reading, as a client does whose network hangs. */
  pause(): void {
    this.response.pause();
  }

  resume(): void {
    this.response.resume();
  }

  leave(): void {
    this.asked.destroy();
  }

  #take(chunk: string): void {
    this.#text += chunk;
    if (!String(this.response.headers['content-type']).startsWith('text/event-stream')) return;
    for (let end = this.#text.indexOf('\n\n'); end >= 0; end = this.#text.indexOf('\n\n')) {
      const lines = this.#text.slice(0, end).split('\n');
      this.#text = this.#text.slice(end + 2);
      this.#blocks.push(blockOf(lines.filter((line) => line !== '')));
    }
    this.#wake();
  }
}

function blockOf(lines: readonly string[]): Block {
  const fields = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    fields.set(line.slice(0, colon), line.slice(colon + 1).replace(/^ /, ''));
  }
  const [retry, id, comment] = [fields.get('retry'), fields.get('id'), fields.get('')];
  return {
    ...(retry === undefined ? {} : { retry }),
    ...(id === undefined ? {} : { id }),
    event: fields.get('event') ?? 'message',
    data: fields.get('data') ?? '',
    ...(comment === undefined ? {} : { comment }),
  };
}

export const frameOf = ({ data }: Block): FrameV2 => JSON.parse(data) as FrameV2;

/** The data of the application's events. */
export const textsOf = (blocks: readonly Block[]): unknown[] =>
  blocks.filter(({ event }) => event === 'message').map((block) => frameOf(block).data);
