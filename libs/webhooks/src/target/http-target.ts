import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';
import { outcomeOfStatus, type AttemptOutcome } from '../delivery/retry.js';
import { checkHost, guardedLookup, TargetNotAllowed } from '@carillon/http-client';
import { Limit } from '@carillon/http-client';

/** One request. */
export interface HttpAttempt {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** From the lookup to the status. */
  readonly timeoutMs: number;
  /** Ends it; `post` rejects then. */
  readonly signal: AbortSignal;
}

export interface HttpTargetOptions {
  /** Whether requests may go to addresses that are not public. */
  readonly allowPrivate: boolean;
  /** Absent: as the system resolves names. */
  readonly lookup?: LookupFunction;
}

/** Shorter than the usual keep-alive of servers, so that few requests meet a closing connection. */
const IDLE_MS = 4000;
/** Response bytes drained so that the connection can be reused; larger responses close it. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** Posts to HTTP targets. Answers are judged by their status alone; redirects are not followed. */
export class HttpTarget {
  readonly #agents: Readonly<Record<string, http.Agent>>;
  readonly #lookup: LookupFunction | undefined;

  constructor(private readonly options: HttpTargetOptions) {
    const { allowPrivate, lookup } = options;
    this.#lookup = allowPrivate ? lookup : (lookup ?? guardedLookup());
    const settings = { keepAlive: true, timeout: IDLE_MS };
    this.#agents = { 'http:': new http.Agent(settings), 'https:': new https.Agent(settings) };
  }

  /** Rejects only when `signal` ends it. */
  async post(attempt: HttpAttempt): Promise<AttemptOutcome> {
    const limit = new Limit(attempt.timeoutMs, attempt.signal);
    try {
      const url = new URL(attempt.url);
      if (!this.options.allowPrivate) checkHost(url);
      return await this.#send(url, attempt, limit, this.#agents[url.protocol]);
    } catch (error) {
      limit.release();
      attempt.signal.throwIfAborted();
      return failure(error, limit.signal);
    }
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  #send(
    url: URL,
    attempt: HttpAttempt,
    limit: Limit,
    agent: http.Agent | undefined,
  ): Promise<AttemptOutcome> {
    return new Promise((resolve, reject) => {
      const request = (url.protocol === 'https:' ? https : http).request(url, {
        method: 'POST',
        headers: { ...attempt.headers },
        agent: agent ?? false,
        signal: limit.signal,
        ...(this.#lookup === undefined ? {} : { lookup: this.#lookup }),
      });
      request.on('response', (response) => {
        resolve(outcomeOfStatus(response.statusCode ?? 0, response.headers['retry-after']));
        // An answer without an end is read until the time is over.
        response.once('close', () => limit.release());
        skip(response);
      });
      request.on('upgrade', (response, socket) => {
        resolve(outcomeOfStatus(response.statusCode ?? 0, undefined));
        socket.destroy();
        limit.release();
      });
      request.on('error', (error: NodeJS.ErrnoException) => {
        // The server closed a kept-alive connection just as it was used, which says nothing about the receiver.
        if (agent !== undefined && request.reusedSocket && error.code === 'ECONNRESET') {
          resolve(this.#send(url, attempt, limit, undefined));
        } else reject(error);
      });
      request.end(attempt.body);
    });
  }
}

function skip(response: http.IncomingMessage): void {
  let bytes = 0;
  response.on('error', () => {});
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.byteLength;
    if (bytes > MAX_ANSWER_BYTES) response.destroy();
  });
}

/** Reported by code: the text of an error may contain the address of the receiver. */
function failure(error: unknown, limit: AbortSignal): AttemptOutcome {
  if (error instanceof TargetNotAllowed) return { kind: 'permanent', reason: 'target not allowed' };
  if (limit.aborted) return { kind: 'failed', reason: 'timeout', retryAfterMs: null };
  const code = error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
  if (code?.startsWith('ERR_HTTP_') === true || code?.startsWith('ERR_INVALID_') === true) {
    return { kind: 'permanent', reason: 'request cannot be made' };
  }
  return { kind: 'failed', reason: `connection failed: ${code ?? 'unknown'}`, retryAfterMs: null };
}
