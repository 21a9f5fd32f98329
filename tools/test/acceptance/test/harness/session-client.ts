import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { OPCODE } from '@carillon/testing';

/** What a client of protocol 2 needs of its connection. */
export interface FrameTransport {
  sendFrame(opcode: number, bytes: Buffer): void;
  next(): Promise<{ readonly opcode: number; readonly payload: Buffer }>;
  destroy(): void;
}

export type SessionForm = 'session' | 'session-events';

export interface SessionTarget {
  readonly port: number;
  /** Where frames of the client go; may be another gateway than that of the session. */
  readonly postPort: number;
  readonly key: string;
  readonly query: string;
  readonly form: SessionForm;
}

/** The answer to a request. */
export interface Answered {
  readonly status: number;
  readonly body: string;
}

const ACCEPT = { session: 'application/x-ndjson', 'session-events': 'text/event-stream' } as const;

/** A session over HTTP as a connection of frames: its close frame comes as that of a WebSocket does. */
export class SessionClient implements FrameTransport {
  readonly #frames: { opcode: number; payload: Buffer }[] = [];
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #wake: () => void = () => {};
  #failure: Error | null = null;
  #waiting: string[] = [];
  #isPosting = false;
  #seq = 0;
  #path = '';
  #secret = '';
  /** Answers that refused frames. */
  readonly refused: Answered[] = [];

  private constructor(
    private readonly target: SessionTarget,
    private readonly opened: ClientRequest,
    readonly response: IncomingMessage,
  ) {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n')) {
        this.#line(text.slice(0, end));
        text = text.slice(end + 1);
      }
    });
    response.on('close', () => this.#fail(new Error('the session ended without service:close')));
    response.on('error', (error) => this.#fail(error));
  }

  static open(target: SessionTarget): Promise<SessionClient> {
    const { port, key, query, form } = target;
    return new Promise((resolve, reject) => {
      const path = `/app/${key}/stream?protocol=2${query}`;
      const opened = request({
        host: '127.0.0.1',
        port,
        path,
        method: 'POST',
        headers: { accept: ACCEPT[form] },
      });
      opened.on('response', (response) => {
        if (response.statusCode === 200) return resolve(new SessionClient(target, opened, response));
        let body = '';
        response.on('data', (chunk: Buffer) => (body += chunk.toString()));
        response.on('end', () => {
          const client = new SessionClient(target, opened, response);
          if (client.#refuse(body)) resolve(client);
          else reject(new Error(`HTTP ${response.statusCode}: ${body}`));
        });
      });
      opened.on('error', reject);
      opened.end();
    });
  }

  sendFrame(_opcode: number, bytes: Buffer): void {
    this.#seq += 1;
    this.#waiting.push(bytes.toString().replace('{', `{"seq":${this.#seq},`));
    void this.#post();
  }

  async next(): Promise<{ readonly opcode: number; readonly payload: Buffer }> {
    for (;;) {
      const frame = this.#frames.shift();
      if (frame !== undefined) return frame;
      if (this.#failure !== null) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  destroy(): void {
    this.opened.destroy();
    this.#agent.destroy();
  }

  /** One request about the session. */
  ask(method: string, body: string | null, secret = this.#secret): Promise<Answered> {
    return new Promise((resolve, reject) => {
      const asked = request({
        host: '127.0.0.1',
        port: this.target.postPort,
        path: this.#path,
        method,
        agent: this.#agent,
        headers: { authorization: `Bearer ${secret}` },
      });
      asked.on('error', reject);
      asked.on('response', (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += chunk.toString()));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
      });
      asked.end(body ?? undefined);
    });
  }

  /** Shows a refusal as a socket is told it, which is upgraded first. False: sockets are not told it. */
  #refuse(body: string): boolean {
    const { ws_code: code, error } = JSON.parse(body) as { ws_code?: number; error: string };
    if (code === undefined) return false;
    const frame = JSON.stringify({ event: 'service:error', data: { code, message: error } });
    this.#put(OPCODE.text, Buffer.from(frame));
    this.#putClose(code, error);
    return true;
  }

  async #post(): Promise<void> {
    if (this.#isPosting || this.#path === '') return;
    this.#isPosting = true;
    try {
      while (this.#waiting.length > 0) {
        const lines = this.#waiting.splice(0, 100);
        const answer = await this.ask('POST', lines.join('\n'));
        if (answer.status !== 200) this.refused.push(answer);
      }
    } catch {
      // Whoever waits for a frame hears of the end of the connection.
    } finally {
      this.#isPosting = false;
    }
  }

  #line(line: string): void {
    const text = this.target.form === 'session' ? line : line.startsWith('data: ') ? line.slice(6) : '';
    if (text === '') return;
    const frame = JSON.parse(text) as { event: string; data?: unknown };
    if (frame.event.endsWith(':connection_established')) {
      const { session, secret } = JSON.parse(String(frame.data)) as { session: string; secret: string };
      this.#path = `/app/${this.target.key}/stream/${session}`;
      this.#secret = secret;
      void this.#post();
    }
    if (frame.event.endsWith(':close')) {
      const { code, reason } = frame.data as { code: number; reason: string };
      return this.#putClose(code, reason);
    }
    this.#put(OPCODE.text, Buffer.from(text));
  }

  #putClose(code: number, reason: string): void {
    const head = Buffer.alloc(2);
    head.writeUInt16BE(code);
    this.#put(OPCODE.close, Buffer.concat([head, Buffer.from(reason)]));
  }

  #put(opcode: number, payload: Buffer): void {
    this.#frames.push({ opcode, payload });
    this.#wake();
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#wake();
  }
}
