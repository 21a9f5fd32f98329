import { Agent as PlainAgent, type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent, request as secureRequest } from 'node:https';
import type { Connection, WireOptions, WireReply, WireRequest } from './exchange.js';
import { readLimited } from './read.js';

const MAX_SOCKETS = 32;

/** Connections with one request at a time each. */
export class Http1 implements Connection {
  readonly usable = true;
  readonly #agent: PlainAgent;
  readonly #send: typeof secureRequest;
  #running = 0;

  constructor(url: URL, { authorities, identity, lookup }: WireOptions) {
    const kept = { keepAlive: true, maxSockets: MAX_SOCKETS, maxFreeSockets: 8 };
    const secure = url.protocol === 'https:';
    this.#send = secure ? secureRequest : plainRequest;
    this.#agent = secure
      ? new Agent({
          ...kept,
          minVersion: 'TLSv1.2',
          ...(authorities !== undefined && { ca: authorities }),
          ...identity,
          ...(lookup !== undefined && { lookup }),
        })
      : new PlainAgent(kept);
  }

  get hasRoom(): boolean {
    return this.#running < MAX_SOCKETS;
  }

  get sockets(): number {
    const { sockets, freeSockets } = this.#agent;
    return [...Object.values(sockets), ...Object.values(freeSockets)].flat().length;
  }

  async post({ url, headers, body }: WireRequest, signal: AbortSignal): Promise<WireReply> {
    this.#running += 1;
    try {
      const answer = await new Promise<IncomingMessage>((resolve, reject) => {
        const sent = this.#send(url, { method: 'POST', agent: this.#agent, headers, signal }, resolve);
        // Stays for the life of the request: a second error without a listener would end the process.
        sent.on('error', reject).end(body);
      });
      const { statusCode = 0 } = answer;
      return { status: statusCode, headers: answer.headers, body: await readLimited(answer) };
    } finally {
      this.#running -= 1;
    }
  }

  ping(): void {
    // An answer that does not come ends with its own time limit.
  }

  close(): void {
    this.#agent.destroy();
  }
}
