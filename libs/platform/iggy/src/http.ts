import { Agent as HttpAgent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { IggyServer } from './address.js';
import { IggyUnavailable } from './failures.js';

export interface HttpRequest {
  readonly method: 'GET' | 'POST' | 'PUT';
  readonly path: string;
  readonly body?: string;
  readonly token: string | null;
}

export interface HttpAnswer {
  readonly status: number;
  readonly text: string;
}

export interface HttpLimits {
  readonly connectTimeoutMs: number;
  readonly requestTimeoutMs: number;
}

/** Larger than any batch of messages that is requested. */
const MAX_ANSWER_BYTES = 256 * 1024 * 1024;
const MAX_SOCKETS = 64;

/** Requests to servers over connections that are kept. */
export class HttpConnections {
  readonly #agents = {
    'http:': new HttpAgent({ keepAlive: true, maxSockets: MAX_SOCKETS }),
    'https:': new HttpsAgent({ keepAlive: true, maxSockets: MAX_SOCKETS }),
  };

  constructor(private readonly limits: HttpLimits) {}

  /** Rejects with `IggyUnavailable`. */
  send(
    { protocol, host, port }: IggyServer,
    { method, path, body, token }: HttpRequest,
  ): Promise<HttpAnswer> {
    const { connectTimeoutMs, requestTimeoutMs } = this.limits;
    return new Promise((resolve, reject) => {
      const send = protocol === 'https:' ? httpsRequest : httpRequest;
      const request = send({
        host,
        port,
        method,
        path,
        agent: this.#agents[protocol],
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(body === undefined
            ? {}
            : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }),
        },
      });
      const fail = (reason: string): void => {
        clearTimeout(connecting);
        clearTimeout(answering);
        request.destroy();
        reject(new IggyUnavailable(`Iggy at ${host}:${port}: ${reason}`));
      };
      const connecting = setTimeout(() => fail(`not connected in ${connectTimeoutMs} ms`), connectTimeoutMs);
      const answering = setTimeout(() => fail(`no answer in ${requestTimeoutMs} ms`), requestTimeoutMs);
      request.on('socket', (socket) => {
        if (!socket.connecting) clearTimeout(connecting);
        else socket.once('connect', () => clearTimeout(connecting));
      });
      request.on('error', (error) => fail(error.message));
      request.on('response', (response) => {
        received(response)
          .then((text) => resolve({ status: response.statusCode ?? 0, text }))
          .catch((error: unknown) => fail(error instanceof Error ? error.message : 'no answer'))
          .finally(() => clearTimeout(answering));
      });
      request.end(body);
    });
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }
}

async function received(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error(`an answer of more than ${MAX_ANSWER_BYTES} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
