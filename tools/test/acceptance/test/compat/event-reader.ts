/** One event of a stream, by its fields. */
export interface StreamEvent {
  readonly id: string | null;
  readonly type: string | null;
  readonly data: string | null;
  readonly retry: number | null;
  /** Whether it is a comment without fields. */
  readonly isComment: boolean;
}

/** Reads the blocks of an event stream. */
export class EventReader {
  #text = '';

  private constructor(
    readonly response: Response,
    private readonly reader: ReadableStreamDefaultReader<string> | undefined,
    private readonly controller: AbortController,
  ) {}

  static async open(url: string, headers: Record<string, string> = {}): Promise<EventReader> {
    const controller = new AbortController();
    const response = await fetch(url, { headers, signal: controller.signal });
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    return new EventReader(response, reader, controller);
  }

  /** The next text up to `end`; null: the stream has ended. */
  async until(end: string): Promise<string | null> {
    for (;;) {
      const at = this.#text.indexOf(end);
      if (at >= 0) {
        const found = this.#text.slice(0, at);
        this.#text = this.#text.slice(at + end.length);
        return found;
      }
      const more = await this.reader?.read();
      if (more === undefined || more.done) return null;
      this.#text += more.value;
    }
  }

  /** The next block; null: the stream has ended. */
  async next(): Promise<StreamEvent | null> {
    const block = await this.until('\n\n');
    if (block === null) return null;
    const fields = new Map<string, string[]>();
    for (const line of block.split('\n')) {
      const [name = '', value = ''] = /^([^:]*):? ?(.*)$/.exec(line)?.slice(1) ?? [];
      fields.set(name, [...(fields.get(name) ?? []), value]);
    }
    const of = (name: string): string | null => fields.get(name)?.join('\n') ?? null;
    const retry = of('retry');
    return {
      id: of('id'),
      type: of('event'),
      data: of('data'),
      retry: retry === null ? null : Number(retry),
      isComment: !fields.has('event') && !fields.has('id'),
    };
  }

  /** The next event with a type, after comments. */
  async event(): Promise<StreamEvent> {
    for (;;) {
      const event = await this.next();
      if (event === null) throw new Error('the stream has ended');
      if (event.type !== null) return event;
    }
  }

  close(): void {
    this.controller.abort();
  }
}
