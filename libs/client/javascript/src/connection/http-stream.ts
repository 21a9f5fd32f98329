import type { SocketLike } from './socket.js';

const ABNORMAL = 1006;
const TOO_LARGE = 1009;
/** Frames of one request. */
const MAX_FRAMES = 100;
const RETRY_MS = 1000;

interface CloseEvent {
  readonly code: number;
  readonly reason: string;
}

/** The part of a frame that a stream reads itself. */
interface OwnFrame {
  readonly event: string;
  readonly data?: unknown;
}

const bearing = (secret: string): { readonly authorization: string } => ({
  authorization: `Bearer ${secret}`,
});

/**
 * A session over HTTP in the form of a WebSocket: frames come as lines of one response, and go in requests, one at a time. A
 * request that fails is repeated; the service skips frames that it has.
 */
export class HttpStream implements SocketLike {
  binaryType = '';
  readonly #listeners: Partial<Record<string, (event: never) => void>> = {};
  readonly #abort = new AbortController();
  readonly #address: URL;
  #waiting: string[] = [];
  #seq = 0;
  #isPosting = false;
  /** The URL for outgoing frames and the session's secret; null while the session is not open. */
  #session: { readonly url: string; readonly headers: { readonly authorization: string } } | null = null;
  #keepAlive: ReturnType<typeof setTimeout> | undefined;
  #keepAliveMs = 0;

  /** @param url the WebSocket URL; its query is that of the session, except for the token */
  constructor(url: string) {
    const address = new URL(url.replace(/^ws/, 'http'));
    const token = address.searchParams.get('token');
    address.searchParams.delete('token');
    address.pathname += '/stream';
    this.#address = address;
    void this.#read(token === null ? {} : bearing(token)).catch(() => this.#end(ABNORMAL));
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners[type] = listener;
  }

  send(data: string | Uint8Array): void {
    this.#seq += 1;
    this.#waiting.push(`{"seq":${this.#seq},${String(data).slice(1)}`);
    void this.#post();
  }

  close(): void {
    if (this.#isOver) return;
    const session = this.#session;
    this.#stop();
    if (session !== null)
      void fetch(session.url, { method: 'DELETE', headers: session.headers, keepalive: true }).catch(
        () => {},
      );
  }

  get #isOver(): boolean {
    return this.#abort.signal.aborted;
  }

  async #read(authorization: object): Promise<void> {
    const { signal } = this.#abort;
    const headers = { accept: 'application/x-ndjson', ...authorization };
    const response = await fetch(this.#address, { method: 'POST', headers, signal });
    if (!response.ok || response.body === null) {
      const { ws_code, error } = (await response.json()) as { ws_code?: number; error?: string };
      return this.#end(ws_code ?? ABNORMAL, error);
    }
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    let text = '';
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return this.#end(ABNORMAL);
      const lines = (text + decoder.decode(value, { stream: true })).split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) if (line !== '' && !this.#isOver) this.#take(line);
    }
  }

  #take(line: string): void {
    if (this.#session === null) this.#opened(JSON.parse(line) as OwnFrame);
    // Cheaper than to parse every frame.
    else if (/^\{"event":"\w+:close"/.test(line)) {
      const { code, reason } = (JSON.parse(line) as { data: CloseEvent }).data;
      return this.#end(code, reason);
    }
    this.#tell('message', { data: line });
  }

  #opened({ data }: OwnFrame): void {
    const { session, secret, activity_timeout } = JSON.parse(String(data)) as {
      session: string;
      secret: string;
      activity_timeout: number;
    };
    const { origin, pathname } = this.#address;
    this.#session = { url: `${origin + pathname}/${session}`, headers: bearing(secret) };
    this.#keepAliveMs = activity_timeout * 500;
    this.#rest();
  }

  /** Sends keep-alives, so that the service sees activity of a client that only reads. */
  #rest(): void {
    clearTimeout(this.#keepAlive);
    this.#keepAlive = setTimeout(() => void this.#post(true), this.#keepAliveMs);
  }

  async #post(isKeepAlive = false): Promise<void> {
    const session = this.#session;
    if (this.#isPosting || session === null || (this.#waiting.length === 0 && !isKeepAlive)) return;
    this.#isPosting = true;
    do {
      const frames = this.#waiting.slice(0, MAX_FRAMES);
      const status = await this.#ask(session, frames.join('\n'));
      if (this.#isOver) return;
      if (status === 200) this.#waiting.splice(0, frames.length);
      else if (status !== 0 && status < 500) return this.#end(status === 413 ? TOO_LARGE : ABNORMAL);
      else await new Promise((later) => setTimeout(later, RETRY_MS));
    } while (this.#waiting.length > 0);
    this.#isPosting = false;
    this.#rest();
  }

  /** The status; 0: there was none. */
  async #ask(
    { url, headers }: { url: string; headers: Record<string, string> },
    body: string,
  ): Promise<number> {
    try {
      return (await fetch(url, { method: 'POST', headers, body, signal: this.#abort.signal })).status;
    } catch {
      return 0;
    }
  }

  #end(code: number, reason = ''): void {
    if (this.#isOver) return;
    this.#stop();
    this.#tell('close', { code, reason });
  }

  #stop(): void {
    clearTimeout(this.#keepAlive);
    this.#abort.abort();
  }

  #tell(type: string, event: object): void {
    this.#listeners[type]?.(event as never);
  }
}
