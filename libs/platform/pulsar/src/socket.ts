import { WebSocket, type RawData } from 'ws';

export interface SocketOptions {
  readonly url: string;
  /** Sent as a bearer token. Null: the broker needs no authentication. */
  readonly token: string | null;
  /** Settings that contain the token, named in errors. */
  readonly block: string;
  /** Limit of the opening, and of the answer to a ping. */
  readonly timeoutMs: number;
  /** Called with each parsed frame. */
  readonly onFrame: (frame: Readonly<Record<string, unknown>>) => void;
  /** Called once when an open connection ends without having been closed here. */
  readonly onLost: (reason: string) => void;
}

/** Larger than any frame with a message of the largest size that brokers take, in Base64. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;
/** Below the 5 minutes after which the API ends an idle connection. */
const PING_EVERY_MS = 20_000;
/** Part of an error page that is quoted. */
const MAX_QUOTE = 200;

/** The WebSocket API refused to open a producer or consumer. */
export class PulsarRefused extends Error {
  override readonly name = 'PulsarRefused';

  constructor(
    /** HTTP status. 409: the subscription has another exclusive consumer. */
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/**
 * One producer or consumer of the WebSocket API. It never reconnects. A peer that does not answer a ping within the
 * time-out counts as lost.
 */
export class PulsarSocket {
  #isOpen = false;
  #isOver = false;
  #pinging: NodeJS.Timeout | null = null;
  #silence: NodeJS.Timeout | null = null;
  /** Waits for the next pong. */
  readonly #confirming: (() => void)[] = [];
  #confirmed: Promise<void> | null = null;

  private constructor(
    private readonly socket: WebSocket,
    private readonly options: SocketOptions,
  ) {
    socket.on('message', (data) => this.#receive(data));
    socket.on('pong', () => {
      this.#stopSilence();
      for (const resolve of this.#confirming.splice(0)) resolve();
    });
    socket.on('error', (error) => this.#end(error.message));
    socket.on('close', (code, reason) => this.#end(`closed with ${code} ${reason.toString()}`.trim()));
  }

  /** Resolves when the broker has created the producer or consumer. */
  static open(options: SocketOptions): Promise<PulsarSocket> {
    const { url, token, timeoutMs } = options;
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url, {
        handshakeTimeout: timeoutMs,
        maxPayload: MAX_FRAME_BYTES,
        perMessageDeflate: false,
        ...(token === null ? {} : { headers: { authorization: `Bearer ${token}` } }),
      });
      const opened = new PulsarSocket(socket, options);
      socket.once('error', reject);
      socket.once('close', () => reject(new Error('the connection was closed')));
      socket.once('open', () => {
        opened.#isOpen = true;
        opened.#pinging = setInterval(() => opened.#ping(), PING_EVERY_MS);
        resolve(opened);
      });
      socket.once('unexpected-response', (request, response) => {
        let body = '';
        response.on('data', (chunk: Buffer) => (body = (body + chunk.toString()).slice(0, 10_000)));
        response.on('close', () => {
          reject(refusal(options, response.statusCode ?? 0, body));
          request.destroy();
          socket.terminate();
        });
      });
    });
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Ignored once the connection is over. */
  send(frame: Readonly<Record<string, unknown>>): void {
    if (!this.#isOver) this.socket.send(JSON.stringify(frame), () => undefined);
  }

  /** Resolves when the peer has processed all frames before the call, or the connection is over. */
  async confirm(): Promise<void> {
    // A ping that is under way may have left before the last frame: its answer is awaited, then another one.
    while (this.#confirmed !== null && !this.#isOver) await this.#confirmed;
    if (this.#isOver) return;
    this.#confirmed = new Promise<void>((resolve) => this.#confirming.push(resolve)).finally(
      () => (this.#confirmed = null),
    );
    this.#ping();
    await this.#confirmed;
  }

  /** Sends buffered data and closes. Idempotent. */
  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#clear();
    await new Promise<void>((resolve) => {
      const late = setTimeout(() => this.socket.terminate(), this.options.timeoutMs);
      this.socket.once('close', () => {
        clearTimeout(late);
        resolve();
      });
      this.socket.close();
    });
  }

  #receive(data: RawData): void {
    if (this.#isOver) return;
    try {
      const frame: unknown = JSON.parse(rawText(data));
      if (typeof frame === 'object' && frame !== null) this.options.onFrame(frame as Record<string, unknown>);
    } catch {
      this.#end('a frame that is no JSON');
    }
  }

  #ping(): void {
    this.socket.ping();
    this.#silence ??= setTimeout(() => {
      this.#end(`no answer in ${this.options.timeoutMs} ms`);
    }, this.options.timeoutMs);
  }

  #stopSilence(): void {
    if (this.#silence !== null) clearTimeout(this.#silence);
    this.#silence = null;
  }

  #clear(): void {
    this.#stopSilence();
    if (this.#pinging !== null) clearInterval(this.#pinging);
    for (const resolve of this.#confirming.splice(0)) resolve();
  }

  #end(reason: string): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#clear();
    this.socket.terminate();
    if (this.#isOpen) this.options.onLost(reason);
  }
}

const rawText = (data: RawData): string =>
  (Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer)).toString('utf8');

function refusal({ url, token, block }: SocketOptions, status: number, body: string): PulsarRefused {
  const { origin, pathname } = new URL(url);
  const place = `Pulsar at ${origin}${pathname}`;
  if (status === 401 || status === 403) {
    const what = token === null ? `requires a token; set ${block}.token` : `refuses ${block}.token`;
    return new PulsarRefused(status, `${place} ${what} (HTTP ${status})`);
  }
  if (status === 404 && !body.includes('errorMsg')) {
    return new PulsarRefused(
      status,
      `${place} has no WebSocket API (HTTP 404); set webSocketServiceEnabled=true`,
    );
  }
  const [, title = body] = /<title>([^<]*)/.exec(body) ?? [];
  const detail = title.replaceAll('&quot;', '"').slice(0, MAX_QUOTE);
  return new PulsarRefused(status, `${place} answers HTTP ${status}: ${detail}`);
}
