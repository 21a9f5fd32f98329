import { setMaxListeners } from 'node:events';
import type { DatabaseAuth, DriverContext, RootAuth, RpcRequest, Surreal } from 'surrealdb';
import { causeOf, failureOf, isRejectedSignIn } from './classify.js';
import { retryConflicts } from './conflicts.js';
import { SurrealMisconfigured, SurrealUnavailable } from './failures.js';
import { addressOf, type SurrealSettings } from './settings.js';
import { type WatchedSocket, watchedSocket } from './socket.js';

export type Library = typeof import('surrealdb');

/** Signed in, in the namespace and database of the settings. Used until it is lost, then replaced. */
export class Connection {
  private constructor(
    private readonly client: Surreal,
    private readonly socket: WatchedSocket,
    /** Aborted when the connection is lost. */
    readonly lost: AbortSignal,
  ) {}

  /** Opens a connection as a user of the whole server; if the name is unknown there, as one of the database. */
  static async open(library: Library, settings: SurrealSettings, timeoutMs: number): Promise<Connection> {
    const { namespace, database, username } = settings;
    const user = { username, password: settings.password.reveal() };
    try {
      return await Connection.#openAs(library, settings, user, timeoutMs);
    } catch (error) {
      if (!isRejectedSignIn(error)) throw opened(error, settings);
    }
    try {
      return await Connection.#openAs(library, settings, { namespace, database, ...user }, timeoutMs);
    } catch (error) {
      throw opened(error, settings);
    }
  }

  static async #openAs(
    library: Library,
    settings: SurrealSettings,
    user: RootAuth | DatabaseAuth,
    timeoutMs: number,
  ): Promise<Connection> {
    const socket = watchedSocket(timeoutMs);
    const lost = new AbortController();
    // One listener for each request under way.
    setMaxListeners(0, lost.signal);
    const engine = (context: DriverContext) => quietEngine(library, context);
    const client = new library.Surreal({
      engines: { ws: engine, wss: engine },
      websocketImpl: socket.implementation,
    });
    client.subscribe('disconnected', () => lost.abort());
    // A sign-in that cannot be renewed leaves an anonymous session.
    client.subscribe('error', () => socket.terminate());
    const connection = new Connection(client, socket, lost.signal);
    try {
      // The library would send unanswered requests again after a reconnect, and so execute some twice.
      const options = { reconnect: false, authentication: () => user };
      await connection.#answer(client.connect(addressOf(settings), options), AbortSignal.timeout(timeoutMs));
      await connection.#select(settings, AbortSignal.timeout(timeoutMs));
      return connection;
    } catch (error) {
      connection.close();
      throw error;
    }
  }

  /** Selects the database. The server creates it at its first use, which conflicts with other sessions that do the same. */
  #select({ namespace, database }: SurrealSettings, signal: AbortSignal): Promise<unknown> {
    const use = async (): Promise<void> => {
      try {
        await this.#answer(this.client.use({ namespace, database }), signal);
      } catch (error) {
        throw error instanceof SurrealUnavailable ? error : failureOf(error);
      }
    };
    return retryConflicts(use, signal);
  }

  /** Resolves with the result of each statement. */
  async query(text: string, bindings: Record<string, unknown>, signal: AbortSignal): Promise<unknown[]> {
    const responses = await this.#answer(this.client.query(text, bindings).responses(), signal);
    const errors = responses.flatMap((response) => (response.success ? [] : [response.error]));
    if (errors.length > 0) throw causeOf(errors);
    return responses.map((response) => (response.success ? response.result : null));
  }

  async health(signal: AbortSignal): Promise<void> {
    await this.#answer(this.client.health(), signal);
  }

  close(): void {
    this.client.close().catch(() => {});
    this.socket.terminate();
  }

  /** Resolves like the request; rejects when the connection is lost or the signal aborts. */
  async #answer<Answer>(request: PromiseLike<Answer>, signal: AbortSignal): Promise<Answer> {
    const { lost } = this;
    const sentAtMs = performance.now();
    const settled = new AbortController();
    const options = { once: true, signal: settled.signal };
    const ended = new Promise<never>((_, reject) => {
      const stop = (): void =>
        reject(lost.aborted ? new SurrealUnavailable('the connection was lost') : new NoAnswer());
      if (lost.aborted || signal.aborted) stop();
      lost.addEventListener('abort', stop, options);
      signal.addEventListener('abort', stop, options);
    });
    try {
      return await Promise.race([Promise.resolve(request), ended]);
    } catch (error) {
      // A peer that disappeared without closing the connection.
      if (error instanceof NoAnswer && this.socket.heardAtMs() < sentAtMs) this.close();
      throw error;
    } finally {
      settled.abort();
    }
  }
}

/** A request was not answered within its limit. */
class NoAnswer extends SurrealUnavailable {
  constructor() {
    super('no answer in time');
  }
}

function opened(error: unknown, settings: SurrealSettings): Error {
  const address = addressOf(settings).href;
  if (isRejectedSignIn(error)) {
    return new SurrealMisconfigured(
      `SurrealDB at ${address} rejected user "${settings.username}"; check database.surrealdb.username and database.surrealdb.password`,
      { cause: error },
    );
  }
  if (error instanceof Error && error.constructor.name === 'UnsupportedVersionError') {
    return new SurrealMisconfigured(`SurrealDB at ${address}: ${error.message}`, { cause: error });
  }
  const failure = error instanceof SurrealUnavailable ? error : failureOf(error);
  if (failure instanceof SurrealMisconfigured) return failure;
  return new SurrealUnavailable(`SurrealDB at ${address}: ${failure.message}`, { cause: error });
}

/** Pings of the library are not awaited; their failures are not errors of the process. */
function quietEngine({ WebSocketEngine }: Library, context: DriverContext) {
  class QuietEngine extends WebSocketEngine {
    override send<Method extends string, Params extends unknown[] | undefined, Result>(
      request: RpcRequest<Method, Params>,
    ): Promise<Result> {
      const answer = super.send<Method, Params, Result>(request);
      answer.catch(() => {});
      return answer;
    }
  }
  return new QuietEngine(context);
}
