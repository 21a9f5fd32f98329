import { type Hub, rulesOf } from '@carillon/hub';
import { Connection, type Speech } from '../connection/connection.js';
import { AppLookupUnavailable, type App, type AppRegistry } from '@carillon/app-registry';
import { ServiceError, type ErrorCode } from '@carillon/errors';
import { newSocketId, parseConnectOptions, type ConnectRules } from '@carillon/protocol';
import type { Admission } from '@carillon/runtime';
import type { HttpRequest, UpgradeDecision } from '@carillon/uws';
import type { Heartbeats } from '../time/heartbeats.js';
import { PendingArrival, RefusedArrival, type Arrival, type SettledArrival } from './arrival.js';
import type { UpgradeLimit } from './upgrade-limit.js';

/** What the entrance works with. */
export interface EntranceParts {
  readonly admission: Admission;
  readonly apps: AppRegistry;
  readonly hub: Hub;
  /** How protocol 1 is spoken. */
  readonly speech: Speech;
  readonly heartbeats: Heartbeats;
  /** Null: upgrades are not limited by address. */
  readonly limit: UpgradeLimit | null;
  readonly rules: ConnectRules;
}

type Headers = Readonly<Record<string, string>>;
type Decision = UpgradeDecision<Arrival>;

/**
 * Decides on upgrades, in the one order of checks: what is answered over HTTP first; then what a browser can only
 * read from a close code, so that the upgrade is accepted and the connection refused when it opens.
 */
export class Entrance {
  constructor(private readonly parts: EntranceParts) {}

  upgrade(request: HttpRequest): Decision | Promise<Decision> {
    const closed = this.#closed();
    if (closed !== null) return { refuse: closed };
    const { hub, limit } = this.parts;
    // Libraries come back soon after a close, and late after a refused upgrade. Probes say that others serve.
    if (hub.isolation.isLong) return { accept: this.#refused('cut_off'), headers: {} };
    return limit === null ? this.#connect(request, {}) : this.#limited(request, limit);
  }

  #closed(): ServiceError | null {
    const { admission } = this.parts;
    const state = admission.state();
    if (state === 'ACCEPTING') return null;
    if (state === 'MEMORY_PRESSURE') admission.countRejection();
    return new ServiceError('service_unavailable', { text: state });
  }

  async #limited(request: HttpRequest, limit: UpgradeLimit): Promise<Decision> {
    const { headers, refusal } = await limit.check(request);
    return refusal === null ? this.#connect(request, headers) : { refuse: refusal };
  }

  #connect(request: HttpRequest, headers: Headers): Decision {
    const options = parseConnectOptions(request.rawQuery, this.parts.rules);
    if (options.protocol === 2) {
      return { refuse: new ServiceError('not_implemented', { text: 'This build speaks protocol 1 only' }) };
    }
    const key = request.params['appKey'] ?? '';
    const origin = request.header('origin') ?? '';
    const app = this.parts.apps.peekByKey(key);
    if (app !== undefined) {
      const arrival = this.#arrive(app, origin, options.bringsToken);
      return { accept: arrival instanceof Promise ? new PendingArrival(arrival) : arrival, headers };
    }
    const arrival = this.#lookUp(key).then((found) =>
      found === 'unavailable'
        ? this.#refused('over_capacity')
        : this.#arrive(found, origin, options.bringsToken),
    );
    return { accept: new PendingArrival(arrival), headers };
  }

  async #lookUp(key: string): Promise<App | null | 'unavailable'> {
    try {
      return await this.parts.apps.findByKey(key);
    } catch (error) {
      if (error instanceof AppLookupUnavailable) return 'unavailable';
      throw error;
    }
  }

  #arrive(app: App | null, origin: string, bringsToken: boolean): SettledArrival | Promise<SettledArrival> {
    if (app === null) return this.#refused('app_does_not_exist');
    if (!app.enabled) return this.#refused('app_disabled', app);
    if (!rulesOf(app).allowsOrigin(origin)) return this.#refused('origin_not_allowed', app);
    if (bringsToken) return this.#refused('token_refused', app);
    const place = this.parts.hub.places.take(app);
    return place === null ? this.#connection(app) : this.#withPlace(app, place);
  }

  #connection(app: App): Connection {
    const { hub, heartbeats, speech } = this.parts;
    return new Connection(newSocketId(), hub.hubs.of(app), speech, heartbeats.tick);
  }

  async #withPlace(app: App, place: Promise<boolean>): Promise<SettledArrival> {
    if (!(await place)) return this.#refused('over_connection_quota', app);
    const connection = this.#connection(app);
    connection.holdsPlace = true;
    return connection;
  }

  #refused(reason: ErrorCode, app: App | null = null): RefusedArrival {
    return new RefusedArrival(reason, app, this.parts.speech.codec);
  }
}
