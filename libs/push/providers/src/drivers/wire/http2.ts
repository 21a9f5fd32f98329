import { type ClientHttp2Session, type ClientHttp2Stream, constants } from 'node:http2';
import type { Connection, WireReply, WireRequest } from './exchange.js';
import { readLimited } from './read.js';

const MAX_STREAMS = 500;
const PING_TIMEOUT_MS = 10_000;

/** One connection for many requests. */
export class Http2 implements Connection {
  #streams = 0;
  #usable = true;
  #pinging = false;

  /** `onEnd` is called once it takes no more; `onRoom` when the server may take more than before. */
  constructor(
    readonly session: ClientHttp2Session,
    onEnd: () => void,
    onRoom: () => void,
  ) {
    const end = (): void => {
      this.#usable = false;
      onEnd();
    };
    session.on('goaway', end).on('close', end).on('remoteSettings', onRoom);
    session.on('error', end).on('frameError', end);
  }

  get usable(): boolean {
    return this.#usable && !this.session.closed && !this.session.destroyed;
  }

  /** Whether the current stream limit of the server (at most 500) allows another stream. */
  get hasRoom(): boolean {
    const { maxConcurrentStreams = MAX_STREAMS } = this.session.remoteSettings ?? {};
    return this.#streams < Math.min(maxConcurrentStreams, MAX_STREAMS);
  }

  get sockets(): number {
    return this.session.destroyed ? 0 : 1;
  }

  async post({ url, headers, body }: WireRequest, signal: AbortSignal): Promise<WireReply> {
    const stream = this.session.request({
      ':method': 'POST',
      ':path': `${url.pathname}${url.search}`,
      'content-length': String(Buffer.byteLength(body)),
      ...headers,
    });
    this.#streams += 1;
    const abort = (): void => {
      stream.close(constants.NGHTTP2_CANCEL);
      stream.destroy(new Error('no time left'));
      this.ping();
    };
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted) abort();
    try {
      return await exchange(stream, body);
    } finally {
      signal.removeEventListener('abort', abort);
      this.#streams -= 1;
    }
  }

  /** A connection whose other side answers no more is given up. */
  ping(): void {
    if (this.#pinging || this.session.destroyed || this.session.closed) return;
    this.#pinging = true;
    const timer = setTimeout(() => this.session.destroy(), PING_TIMEOUT_MS);
    timer.unref();
    this.session.ping(() => {
      this.#pinging = false;
      clearTimeout(timer);
    });
  }

  close(): void {
    this.#usable = false;
    this.session.destroy();
  }
}

async function exchange(stream: ClientHttp2Stream, body: string | Buffer): Promise<WireReply> {
  const answered = new Promise<Record<string, string | string[] | undefined>>((resolve, reject) => {
    stream.once('response', (headers) => resolve({ ...headers }));
    stream.on('error', reject);
    stream.once('close', () => reject(new Error('the connection ended')));
  });
  stream.end(body);
  const headers = await answered;
  const status = Number(headers[':status']);
  return { status, headers, body: await readLimited(stream) };
}
