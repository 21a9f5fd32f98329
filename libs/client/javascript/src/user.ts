import { askApp, type Authorize, type UserAuthentication } from './auth/authorizer.js';
import { type Clock, inTime } from './connection/clock.js';
import { CarillonError, errorOf } from './error.js';
import { Emitter } from './emitter.js';
import type { Frame } from './format/frame.js';

/** The request to the app's own server that authenticates a user. */
export interface UserToAuthenticate {
  readonly socketId: string;
}

/** Events about the user and the users on its watchlist. */
export interface UserEvents {
  readonly signedIn: { readonly userData: unknown };
  readonly error: CarillonError;
  readonly online: readonly string[];
  readonly offline: readonly string[];
}

/** The user of this client. Signs in again on every connection. */
export class User extends Emitter<UserEvents> {
  #isWanted = false;
  #data: unknown = null;
  /** The connection that it is signing in on; null: it is not. */
  #signingIn: string | null = null;
  #settle: ((error: CarillonError | null) => void) | null = null;

  constructor(
    private readonly parts: {
      readonly clock: Clock;
      readonly authenticate: Authorize<UserToAuthenticate, UserAuthentication> | null;
      readonly send: (frame: Frame) => boolean;
      readonly socketId: () => string | null;
    },
  ) {
    super();
  }

  /** The user data from the app's server; null if not signed in. */
  get data(): unknown {
    return this.#data;
  }

  /** Resolves when it is done; where there is no connection yet, as soon as there is one. */
  async signIn(): Promise<void> {
    this.#isWanted = true;
    const done = new Promise<void>((resolve, reject) => {
      const stops = [
        this.watch('signedIn', () => {
          stops.forEach((stop) => stop());
          resolve();
        }),
        this.watch('error', (error) => {
          stops.forEach((stop) => stop());
          reject(error);
        }),
      ];
    });
    const socketId = this.parts.socketId();
    // Concurrent calls share the result of the first one.
    if (socketId !== null && socketId !== this.#signingIn) void this.connected(socketId);
    return done;
  }

  /** A connection is established. Resolves when the user is known on it, or cannot be. */
  async connected(socketId: string): Promise<void> {
    if (!this.#isWanted) return;
    this.#signingIn = socketId;
    try {
      await inTime(this.parts.clock, this.#ask(socketId));
    } catch (error) {
      // A new connection signs in again by itself.
      if (this.parts.socketId() !== socketId) return;
      this.emit('error', errorOf(error));
    } finally {
      if (this.#signingIn === socketId) this.#signingIn = null;
    }
  }

  async #ask(socketId: string): Promise<void> {
    const { authenticate, send } = this.parts;
    if (authenticate === null) throw new CarillonError('The client was not told who authenticates users');
    const { auth, user_data } = await askApp(authenticate, { socketId }, { socket_id: socketId });
    if (this.parts.socketId() !== socketId) return;
    const answered = new Promise<CarillonError | null>((settle) => (this.#settle = settle));
    send({ event: 'service:signin', data: { auth, user_data } });
    const refusal = await answered;
    if (refusal !== null) throw refusal;
  }

  succeeded(userData: string): void {
    try {
      this.#data = JSON.parse(userData) as unknown;
    } catch {
      this.#data = null;
    }
    this.#finish(null);
    this.emit('signedIn', { userData: this.#data });
  }

  /** False: it was not about signing in. */
  refused(error: CarillonError): boolean {
    return error.code === 4009 && this.#finish(error);
  }

  disconnected(): void {
    // It is tried again on the next connection.
    this.#finish(null);
    this.#data = null;
  }

  /** Handles watchlist events. */
  watched(events: readonly { readonly name: string; readonly ids: readonly string[] }[]): void {
    for (const { name, ids } of events) {
      if (name === 'online' || name === 'offline') this.emit(name, ids);
    }
  }

  #finish(error: CarillonError | null): boolean {
    const settle = this.#settle;
    this.#settle = null;
    settle?.(error);
    return settle !== null;
  }
}
