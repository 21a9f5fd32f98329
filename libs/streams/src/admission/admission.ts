import { AppLookupUnavailable, type App, type AppRegistry } from '@carillon/app-registry';
import { ServiceError } from '@carillon/errors';
import { type Hub, rulesOf, type UpgradeLimit } from '@carillon/realtime';
import type { Admission } from '@carillon/runtime';
import type { Sockets } from '@carillon/sockets';
import type { CapabilityToken, TokenVerdict } from '@carillon/auth';
import type { HttpRequest, HttpResponse } from '@carillon/uws';
import { closedWith, StreamRefusal, unavailable } from './refusal.js';

export interface StreamAdmissionParts {
  readonly admission: Admission;
  readonly apps: AppRegistry;
  readonly hub: Hub;
  readonly tokens: Pick<Sockets['tokens'], 'check'>;
  /** Null: new connections are not limited by address. */
  readonly limit: UpgradeLimit | null;
}

const MILLISECONDS = 1000;

/** Checks new streams in the same order as upgrades of sockets. Every check throws a {@link StreamRefusal}. */
export class StreamAdmission {
  constructor(private readonly parts: StreamAdmissionParts) {}

  /** The process takes new connections. */
  requireOpen(): void {
    const { admission, hub } = this.parts;
    const state = admission.state();
    if (state === 'ACCEPTING') {
      if (hub.isolation.isLong) throw drainingRefusal('CUT_OFF');
      return;
    }
    if (state === 'MEMORY_PRESSURE') admission.countRejection();
    if (state === 'DRAINING') throw drainingRefusal(state);
    throw new StreamRefusal(new ServiceError('service_unavailable', { text: state }), {
      label: 'memory',
      wsCode: 4100,
      retry: 'busy',
    });
  }

  /**
   * Requires that the client address is within its rate limit of new connections, and sets the rate limit headers of
   * the response.
   */
  async requireWithinLimit(request: HttpRequest, response: HttpResponse): Promise<void> {
    const { limit } = this.parts;
    if (limit === null) return;
    const { headers, refusal } = await limit.check(request);
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    if (refusal === null) return;
    if (refusal.code !== 'rate_limited') throw unavailable(refusal.message);
    const leastRetryMs = Number(refusal.headers['retry-after'] ?? 0) * MILLISECONDS;
    throw new StreamRefusal(refusal, { label: 'rate_limited', wsCode: 4301, retry: 'busy', leastRetryMs });
  }

  /** Returns the app; requires that it exists, is enabled and allows the origin of the request. */
  async app(request: HttpRequest): Promise<App> {
    const app = await this.#lookUp(request.params['appKey'] ?? '');
    if (app === null) throw closedWith('app_does_not_exist', 'app_not_found', { label: 'app' });
    if (!app.enabled) throw closedWith('app_disabled', 'forbidden', { label: 'app' });
    if (!rulesOf(app).allowsOrigin(request.header('origin') ?? ''))
      throw closedWith('origin_not_allowed', 'forbidden', { label: 'origin' });
    return app;
  }

  /** Requires a free connection slot of node and app. */
  requirePlace(app: App): void {
    const full = this.parts.hub.places.full(app);
    if (full === 'over_connection_quota') throw overQuota();
    if (full !== null)
      throw closedWith('over_capacity', 'service_unavailable', { label: 'capacity', retry: 'busy' });
  }

  /** Takes a connection slot of the app, counted across all nodes; returns whether one is held. */
  async takePlace(app: App): Promise<boolean> {
    const place = this.parts.hub.places.take(app);
    if (place === null) return false;
    if (!(await place)) throw overQuota();
    return true;
  }

  async token(app: App, text: string): Promise<CapabilityToken> {
    let verdict: TokenVerdict;
    try {
      verdict = await this.parts.tokens.check(text, { appId: app.id, key: rulesOf(app).key, identity: null });
    } catch {
      throw unavailable('The capability token cannot be checked now', 4100);
    }
    if (verdict.ok) return verdict.token;
    throw closedWith('token_refused', 'auth_failed', { label: 'token' }, verdict.reason);
  }

  async #lookUp(key: string): Promise<App | null> {
    try {
      return this.parts.apps.peekByKey(key) ?? (await this.parts.apps.findByKey(key));
    } catch (error) {
      if (error instanceof AppLookupUnavailable) throw unavailable('The app cannot be read now', 4100);
      throw error;
    }
  }
}

const drainingRefusal = (text: string): StreamRefusal =>
  new StreamRefusal(new ServiceError('service_unavailable', { text }), {
    label: 'draining',
    wsCode: 4200,
    retry: 'draining',
  });

const overQuota = (): StreamRefusal =>
  closedWith('over_connection_quota', 'service_unavailable', { label: 'quota', retry: 'quota' });
