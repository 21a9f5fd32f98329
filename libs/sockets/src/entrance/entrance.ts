import { type AppHub, type ClientOrigin, type Hub, rulesOf, type UpgradeLimit } from '@carillon/realtime';
import type { Connection } from '../connection/connection.js';
import type { Speech } from '../connection/speech.js';
import { ConnectionV1 } from '../v1/connection-v1.js';
import { ConnectionV2 } from '../v2/connection-v2.js';
import type { SpeechesV2, SpeechV2 } from '../v2/speeches.js';
import type { Tokens } from '../v2/tokens.js';
import { AppLookupUnavailable, type App, type AppRegistry } from '@carillon/app-registry';
import { ServiceError, type ErrorCode } from '@carillon/errors';
import { type ClientLibrary, newSocketId, parseConnectOptions, type ConnectRules } from '@carillon/protocol';
import type { CapabilityToken, TokenVerdict } from '@carillon/auth';
import type { Admission } from '@carillon/runtime';
import type { HttpRequest, UpgradeDecision } from '@carillon/uws';
import type { Heartbeats } from '../time/heartbeats.js';
import { clientName } from './client-name.js';
import { PendingArrival, RefusedArrival, type Arrival, type SettledArrival } from './arrival.js';

/** Dependencies of {@link Entrance}. */
export interface EntranceParts {
  readonly admission: Admission;
  readonly apps: AppRegistry;
  readonly hub: Hub;
  /** Codec and reader of protocol 1. */
  readonly speech: Speech;
  /** Codecs and readers of protocol 2. */
  readonly speechesV2: SpeechesV2;
  readonly tokens: Pick<Tokens, 'check'>;
  readonly heartbeats: Heartbeats;
  /** Null: upgrades are not limited by address. */
  readonly limit: UpgradeLimit | null;
  readonly rules: ConnectRules;
}

type Headers = Readonly<Record<string, string>>;
type Decision = UpgradeDecision<Arrival>;

/** The protocol and format of a client, as derived from the upgrade request. */
interface Spoken {
  readonly speech: Speech;
  /** Not yet verified; `unknown`: it brings one, and its protocol knows none; null: it brings none. */
  readonly token: { readonly text: string } | 'unknown' | null;
  readonly library: ClientLibrary;
  readonly connection: (id: string, hub: AppHub, tick: number) => Connection;
}

/** A client that requests an upgrade. */
interface Arriving extends Spoken {
  readonly origin: string;
  readonly from: ClientOrigin;
}

/**
 * Decides on upgrades in a fixed order of checks. Errors that can be answered over HTTP come first. Errors that a
 * browser can only read from a close code come second: the upgrade is accepted and the connection is closed when it
 * opens.
 */
export class Entrance {
  constructor(private readonly parts: EntranceParts) {}

  upgrade(request: HttpRequest): Decision | Promise<Decision> {
    const closed = this.#closed();
    if (closed !== null) return { refuse: closed };
    const { limit } = this.parts;
    return limit === null ? this.#connect(request, {}) : this.#limited(request, limit);
  }

  #closed(): ServiceError | null {
    const { admission, hub } = this.parts;
    const state = admission.state();
    if (state === 'ACCEPTING')
      return hub.isolation.isLong ? new ServiceError('service_unavailable', { text: 'CUT_OFF' }) : null;
    if (state === 'MEMORY_PRESSURE') admission.countRejection();
    return new ServiceError('service_unavailable', { text: state });
  }

  async #limited(request: HttpRequest, limit: UpgradeLimit): Promise<Decision> {
    const { headers, refusal } = await limit.check(request);
    return refusal === null ? this.#connect(request, headers) : { refuse: refusal };
  }

  #connect(request: HttpRequest, headers: Headers): Decision {
    const spoken = this.#spoken(request.rawQuery);
    const key = request.params['appKey'] ?? '';
    const origin = request.header('origin') ?? '';
    const app = this.parts.apps.peekByKey(key);
    if (app !== undefined && !(spoken instanceof Promise)) {
      const arrival = this.#arrive(app, {
        ...spoken,
        origin,
        from: { address: request.forwardedIp, client: clientName(spoken.library) },
      });
      return { accept: arrival instanceof Promise ? new PendingArrival(arrival) : arrival, headers };
    }
    const { forwardedIp: address } = request;
    const arrival = this.#lookUp(key).then(async (found) => {
      const own = await spoken;
      const arriving = { ...own, origin, from: { address, client: clientName(own.library) } };
      return found === 'unavailable'
        ? this.#refused('over_capacity', arriving.speech)
        : this.#arrive(found, arriving);
    });
    return { accept: new PendingArrival(arrival), headers };
  }

  /**
   * Selects the protocol; no other code does. Returns a promise if the library of the wire format is not loaded yet.
   */
  #spoken(rawQuery: string): Promise<Spoken> | Spoken {
    const { rules, speech, speechesV2 } = this.parts;
    const options = parseConnectOptions(rawQuery, rules);
    if (options.protocol === 1) {
      const token = options.bringsToken ? 'unknown' : null;
      return {
        speech,
        token,
        library: options,
        connection: (id, hub, tick) => new ConnectionV1(id, hub, speech, tick),
      };
    }
    const { token } = options;
    const spoken = (one: SpeechV2): Spoken => ({
      speech: one,
      library: options,
      token: token === null ? null : { text: token },
      connection: (id, hub, tick) => new ConnectionV2(id, hub, one, tick),
    });
    const found = speechesV2.of(options);
    return found instanceof Promise ? found.then(spoken) : spoken(found);
  }

  async #lookUp(key: string): Promise<App | null | 'unavailable'> {
    try {
      return await this.parts.apps.findByKey(key);
    } catch (error) {
      if (error instanceof AppLookupUnavailable) return 'unavailable';
      throw error;
    }
  }

  #arrive(app: App | null, arriving: Arriving): SettledArrival | Promise<SettledArrival> {
    const { speech, token, origin } = arriving;
    if (app === null) return this.#refused('app_does_not_exist', speech);
    if (!app.enabled) return this.#refused('app_disabled', speech, app);
    if (!rulesOf(app).allowsOrigin(origin)) return this.#refused('origin_not_allowed', speech, app);
    if (token === 'unknown') return this.#refused('token_refused', speech, app);
    return token === null ? this.#enter(app, arriving, null) : this.#withToken(app, token.text, arriving);
  }

  #enter(
    app: App,
    arriving: Arriving,
    token: CapabilityToken | null,
  ): SettledArrival | Promise<SettledArrival> {
    const place = this.parts.hub.places.take(app);
    return place === null
      ? this.#connection(app, arriving, token)
      : this.#withPlace(app, place, arriving, token);
  }

  /** Refuses the connection with a retryable error if the token cannot be checked. */
  async #withToken(app: App, text: string, arriving: Arriving): Promise<SettledArrival> {
    const { key } = rulesOf(app);
    let verdict: TokenVerdict;
    try {
      verdict = await this.parts.tokens.check(text, { appId: app.id, key, identity: null });
    } catch {
      return this.#refused('over_capacity', arriving.speech, app);
    }
    if (verdict.ok) return this.#enter(app, arriving, verdict.token);
    return new RefusedArrival('token_refused', app, arriving.speech.codec, verdict.reason);
  }

  #connection(app: App, arriving: Arriving, token: CapabilityToken | null): Connection {
    const { hub, heartbeats } = this.parts;
    const connection = arriving.connection(newSocketId(), hub.hubs.of(app), heartbeats.tick);
    connection.token = token;
    connection.origin = arriving.from;
    return connection;
  }

  async #withPlace(
    app: App,
    place: Promise<boolean>,
    arriving: Arriving,
    token: CapabilityToken | null,
  ): Promise<SettledArrival> {
    if (!(await place)) return this.#refused('over_connection_quota', arriving.speech, app);
    const connection = this.#connection(app, arriving, token);
    connection.holdsPlace = true;
    return connection;
  }

  #refused(reason: ErrorCode, speech: Speech, app: App | null = null): RefusedArrival {
    return new RefusedArrival(reason, app, speech.codec);
  }
}
