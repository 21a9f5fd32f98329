import { tracedPart } from '@carillon/tracing';
import { COMMAND_TIMEOUT_MS, createClient, type RedisClient } from './client.js';
import { Connection, type ConnectionListener } from './connection.js';
import { RedisUnavailable } from './failures.js';
import type { RedisScript } from './script.js';
import type { RedisTarget } from './target.js';
import { unavailable } from './unavailable.js';

/** Calls without an answer at one time; more are refused at once. */
const MAX_WAITING = 10_000;

export type RedisArgument = number | string;

export interface RedisLinkOptions {
  readonly target: RedisTarget;
  readonly listener: ConnectionListener;
  /** Longest wait for an answer. Absent: 5 s. */
  readonly timeoutMs?: number;
  /** Absent: 10 000. */
  readonly maxWaiting?: number;
}

/** Opens a link, which connects in the background. Rejects when a certificate cannot be read. */
export async function openRedisLink(options: RedisLinkOptions): Promise<RedisLink> {
  return new RedisLink(await createClient(options.target), options);
}

/**
 * One connection to the data, wherever it moves. Every call resolves, or rejects with `RedisUnavailable` within 5 s;
 * nothing is queued while the server is unavailable, and nothing is sent twice. A recently lost connection is awaited
 * before the call is sent.
 */
export class RedisLink {
  readonly #client: RedisClient;
  readonly #connection: Connection;
  readonly #timeoutMs: number;
  readonly #maxWaiting: number;
  #waiting = 0;

  constructor(
    client: RedisClient,
    { listener, timeoutMs = COMMAND_TIMEOUT_MS, maxWaiting = MAX_WAITING }: Omit<RedisLinkOptions, 'target'>,
  ) {
    this.#client = client;
    this.#connection = new Connection(client, listener);
    this.#timeoutMs = timeoutMs;
    this.#maxWaiting = maxWaiting;
  }

  /** Grows whenever a server may have taken the place of another: cursors of before mean nothing then. */
  get generation(): number {
    return this.#connection.generation;
  }

  /** Sends one command to the owner of its key. */
  call(command: string, ...args: readonly RedisArgument[]): Promise<unknown> {
    return inSpan(command, () => this.#bounded(() => this.#client.call(command, ...args)));
  }

  /** One script, by its name when the server knows it, else by its text. Several keys must share a hash tag. */
  run(
    { lua, sha1 }: RedisScript,
    keys: string | readonly string[],
    ...args: readonly RedisArgument[]
  ): Promise<unknown> {
    const all = typeof keys === 'string' ? [keys] : keys;
    const run = async (): Promise<unknown> => {
      try {
        return await this.#client.evalsha(sha1, all.length, ...all, ...args);
      } catch (thrown) {
        if (!(thrown instanceof Error) || !thrown.message.startsWith('NOSCRIPT')) throw thrown;
        return this.#client.eval(lua, all.length, ...all, ...args);
      }
    };
    return inSpan('script', () => this.#bounded(run));
  }

  /** One command to each server that holds data, the servers in an order that stays while `generation` does. */
  async masters(): Promise<
    readonly ((command: string, ...args: readonly RedisArgument[]) => Promise<unknown>)[]
  > {
    await this.#bounded(() => Promise.resolve());
    const client = this.#client;
    const servers = 'nodes' in client ? client.nodes('master').sort(byAddress) : [client];
    return servers.map(
      (server) =>
        (command, ...args) =>
          this.#bounded(() => server.call(command, ...args)),
    );
  }

  /** Reason why commands cannot be sent now or shortly; null if they can. Contacts no server. Never rejects. */
  connected(): Promise<string | null> {
    return said(this.#bounded(() => Promise.resolve(null)));
  }

  /** Reason why the server is unhealthy; null if it answers and, in a cluster, every slot is served. Never rejects. */
  health(): Promise<string | null> {
    return said('nodes' in this.#client ? this.#clusterState() : this.call('ping').then(() => null));
  }

  /** Idempotent. Calls that wait, and all later ones, reject with `RedisUnavailable`. */
  close(): void {
    this.#connection.close();
  }

  async #clusterState(): Promise<string | null> {
    const state = /cluster_state:(\w+)/.exec(String(await this.call('cluster', 'info')))?.[1];
    return state === 'ok' ? null : `the state of the cluster is ${state ?? 'unknown'}`;
  }

  #bounded<Answer>(send: () => Promise<Answer>): Promise<Answer> {
    if (this.#waiting >= this.#maxWaiting) {
      return Promise.reject(
        new RedisUnavailable('busy', `${this.#maxWaiting} calls wait for an answer already`),
      );
    }
    this.#waiting += 1;
    const caller = { told: false };
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        caller.told = true;
        reject(new RedisUnavailable('timeout', `no answer in ${this.#timeoutMs} ms`));
      }, this.#timeoutMs);
      this.#whenReady(send, caller)
        .then(resolve, (thrown: unknown) => reject(unavailable(thrown)))
        .finally(() => {
          clearTimeout(timer);
          this.#waiting -= 1;
        });
    });
  }

  async #whenReady<Answer>(send: () => Promise<Answer>, caller: { readonly told: boolean }): Promise<Answer> {
    if (!this.#connection.isReady) {
      await this.#connection.untilReady();
      // Sent after its caller got an error, the command would still be executed.
      if (caller.told) throw new RedisUnavailable('timeout', 'connected too late');
    }
    return send();
  }
}

/** Keys and values are not traced: they contain names chosen by clients. */
const inSpan = <Answer>(what: string, work: () => Promise<Answer>): Promise<Answer> =>
  tracedPart(
    () => ({ name: `redis ${what}`, kind: 'client', attributes: { 'db.system.name': 'redis' } }),
    work,
  );

async function said(answer: Promise<string | null>): Promise<string | null> {
  try {
    return await answer;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : 'no answer';
  }
}

interface Addressed {
  readonly options: { readonly host?: string | undefined; readonly port?: number | undefined };
}

const address = ({ options: { host, port } }: Addressed): string => `${host}:${port}`;

const byAddress = (one: Addressed, two: Addressed): number => (address(one) < address(two) ? -1 : 1);
