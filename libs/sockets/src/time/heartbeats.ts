import { Wheel } from '@carillon/collections';
import type { Outlet } from '@carillon/realtime';
import type { Connection } from '../connection/connection.js';
import { TICK_MS } from './tick.js';
import { type HeartbeatKind, heartbeatVerdict, type HeartbeatRules } from './heartbeat.js';

/** Time a client has to answer. */
const ANSWER_MS = 30_000;

/** The number of ticks after which at least `ms` have passed. The current partial tick does not count. */
const ticks = (ms: number): number => Math.ceil(ms / TICK_MS) + 1;

/** The seconds of the configuration. */
export interface HeartbeatOptions {
  readonly activityTimeoutSeconds: number;
  readonly userAuthenticationTimeoutSeconds: number;
  /** For `pinged` connections. Infinity disables each. */
  readonly pingIntervalSeconds: number;
  readonly idleTimeoutSeconds: number;
}

/** Rules for apps that require sign-in and for apps that do not. */
interface Rules {
  readonly withSignin: HeartbeatRules;
  readonly without: HeartbeatRules;
}

/** Pings silent connections, and closes those that do not answer and those that do not sign in in time. */
export class Heartbeats {
  readonly #wheel = new Wheel<Connection>((connection) => this.#look(connection));
  readonly #rules: Readonly<Record<HeartbeatKind, Rules>>;
  readonly #startMs: number;
  #timer: NodeJS.Timeout | null = null;

  constructor(
    options: HeartbeatOptions,
    private readonly outlet: Outlet,
    private readonly now: () => number = () => performance.now(),
  ) {
    const authorizationTicks = ticks(options.userAuthenticationTimeoutSeconds * 1000);
    const rules = (activityTicks: number, idleTicks: number): Rules => {
      const answerTicks = ticks(ANSWER_MS);
      const without = { activityTicks, answerTicks, authorizationTicks: Infinity, idleTicks };
      return { without, withSignin: { ...without, authorizationTicks } };
    };
    this.#rules = {
      asked: rules(ticks(options.activityTimeoutSeconds * 1000), Infinity),
      pinged: rules(ticks(options.pingIntervalSeconds * 1000), ticks(options.idleTimeoutSeconds * 1000)),
    };
    this.#startMs = this.now();
  }

  /** The current tick, which connections record as their time of activity. */
  get tick(): number {
    return this.#wheel.tick;
  }

  start(): void {
    this.#timer ??= setInterval(() => this.turn(), TICK_MS).unref();
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }

  /** Advances to the current time. */
  turn(): void {
    this.#wheel.advance(1 + Math.floor((this.now() - this.#startMs) / TICK_MS));
  }

  begin(connection: Connection): void {
    this.#wheel.put(connection, this.tick + 1);
  }

  end(connection: Connection): void {
    this.#wheel.remove(connection);
  }

  #look(connection: Connection): void {
    const { withSignin, without } = this.#rules[connection.speech.heartbeat];
    const rules = connection.hub.rules.signin ? withSignin : without;
    const verdict = heartbeatVerdict(connection, rules, this.tick);
    if (verdict.kind === 'wait') return this.#wheel.put(connection, verdict.untilTick);
    if (verdict.kind === 'no_answer') return this.outlet.close(connection, 'pong_missing');
    if (verdict.kind === 'idle') return this.outlet.close(connection, 'inactive');
    if (verdict.kind === 'not_authorized') return this.outlet.close(connection, 'authentication_timeout');
    connection.probedTick = this.tick;
    connection.probe(this.outlet);
    this.#wheel.put(connection, this.tick + 1);
  }
}
