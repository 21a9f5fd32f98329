import { createHash, randomBytes } from 'node:crypto';
import { onTestFinished } from 'vitest';

/** An operator token of its own for each test file. */
const OPERATOR = `cmt_${randomBytes(32).toString('base64url')}`;

/** Environment of processes that serve the management API to the operator. */
export const MANAGED: Readonly<Record<string, string>> = {
  MANAGEMENT_ENABLED: 'true',
  MANAGEMENT_ONE_TIME_LOGIN: 'false',
  MANAGEMENT_TOKEN_HASH: createHash('sha256').update(OPERATOR).digest('hex'),
  MANAGEMENT_TOKEN_NAME: 'ops',
  MANAGEMENT_TOKEN_SCOPES: 'read,write,admin',
};

/** An answer of the management API. */
export interface Answer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** One event of a stream. */
export interface StreamEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** The management API at one process. */
export class Manage {
  constructor(
    private readonly port: number,
    private readonly token = OPERATOR,
  ) {}

  async get(path: string): Promise<Answer> {
    return this.#request(path, {});
  }

  async post(path: string, body: object = {}): Promise<Answer> {
    return this.#request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  }

  /** All items of a list, page by page, and the first page. */
  async walk(
    path: string,
    limit: number,
  ): Promise<{ readonly items: unknown[]; readonly first: Answer['body'] }> {
    const items: unknown[] = [];
    let first: Answer['body'] | null = null;
    let cursor: string | null = null;
    do {
      const glue: string = path.includes('?') ? '&' : '?';
      const more: string = cursor === null ? '' : `&cursor=${cursor}`;
      const { status, body } = await this.get(`${path}${glue}limit=${limit}${more}`);
      if (status !== 200) throw new Error(`HTTP ${status}: ${JSON.stringify(body)}`);
      first ??= body;
      items.push(...(body['items'] as unknown[]));
      cursor = body['next_cursor'] as string | null;
    } while (cursor !== null);
    return { items, first };
  }

  /** Opens a tail and waits for its first event. It ends with the test. */
  async tail(appId: string, query: string): Promise<TailReader> {
    const stop = new AbortController();
    onTestFinished(() => stop.abort());
    const response = await this.#fetch(`/apps/${appId}/tail?${query}`, { signal: stop.signal });
    if (response.status !== 200 || response.body === null)
      throw new Error(`HTTP ${response.status}: ${await response.text()}`);
    const reader = new TailReader(response.body, stop);
    await reader.until(() => reader.events.some(({ event }) => event === 'open'));
    return reader;
  }

  #fetch(path: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    headers.set('authorization', `Bearer ${this.token}`);
    return fetch(`http://127.0.0.1:${this.port}/manage/v1${path}`, { ...init, headers });
  }

  async #request(path: string, init: RequestInit): Promise<Answer> {
    const response = await this.#fetch(path, init);
    return { status: response.status, body: (await response.json()) as Answer['body'] };
  }
}

/** Reads the events of a tail as they come. */
export class TailReader {
  readonly events: StreamEvent[] = [];
  text = '';
  isOver = false;
  #rest = '';
  #arrived: () => void = () => {};

  constructor(
    body: ReadableStream<Uint8Array>,
    private readonly stop: AbortController,
  ) {
    void this.#read(body);
  }

  get traces(): readonly Readonly<Record<string, unknown>>[] {
    return this.events.filter(({ event }) => event === 'trace').map(({ data }) => data);
  }

  of(kind: string, direction?: string): readonly Readonly<Record<string, unknown>>[] {
    return this.traces.filter(
      (trace) => trace['kind'] === kind && (direction === undefined || trace['direction'] === direction),
    );
  }

  /** Sum of the events left out. */
  get dropped(): number {
    const gaps = this.events.filter(({ event }) => event === 'gap');
    return gaps.reduce((sum, { data }) => sum + Number(data['dropped']), 0);
  }

  /** Resolves when the condition holds; checks it whenever something arrives. */
  async until(isMet: () => boolean, limitMs = 20_000): Promise<void> {
    const deadline = Date.now() + limitMs;
    while (!isMet()) {
      if (Date.now() > deadline) throw new Error(`not seen: ${this.text.slice(-4000)}`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 250);
        this.#arrived = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  close(): void {
    this.stop.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body) this.#take(decoder.decode(chunk, { stream: true }));
    } catch {
      // The test is over, or the server ended the connection.
    }
    this.isOver = true;
    this.#arrived();
  }

  #take(text: string): void {
    this.text += text;
    this.#rest += text;
    const blocks = this.#rest.split('\n\n');
    this.#rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => {
          const at = line.indexOf(': ');
          return [line.slice(0, at), line.slice(at + 2)];
        }),
      );
      const event = fields.get('event');
      if (event === undefined) continue;
      const data = JSON.parse(fields.get('data') ?? '{}') as StreamEvent['data'];
      this.events.push({ event, id: fields.get('id') ?? null, data });
    }
    this.#arrived();
  }
}
