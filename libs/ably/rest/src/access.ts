import {
  callerOf,
  type ChannelName,
  CompatError,
  type CompatCore,
  type Measurable,
  measured,
  NOT_GRANTED,
  type Principal,
  readOwnChannelName,
  readCredentials,
  refusalOf,
} from '@carillon/ably-core';
import type { OrdinaryChannel } from '@carillon/channels';
import type { AppRate } from '@carillon/api-operations';
import type { HttpRequest } from '@carillon/uws';
import type { Ask } from './exchange.js';

/** The principal and the channel of a request. */
export interface Access {
  readonly principal: Principal;
  readonly name: ChannelName;
  readonly channel: OrdinaryChannel;
}

/** Authenticates and authorizes requests. */
export class Entry {
  readonly #apps = new WeakMap<HttpRequest, string>();

  constructor(
    private readonly core: CompatCore,
    private readonly rate: Pick<AppRate, 'admit'>,
    private readonly onFault: (error: unknown) => void,
    private readonly now: () => number = Date.now,
  ) {}

  /** Converts an error for the answer; internal errors lose their cause. */
  readonly told = (error: unknown): CompatError => {
    const refusal = refusalOf(error);
    if (refusal instanceof CompatError) return refusal;
    this.onFault(error);
    return new CompatError(50_000, 'internal error', 500);
  };

  async principal({ request }: Ask, clientIdFilters = false): Promise<Principal> {
    const { query } = request;
    const header = (name: string): string | undefined => request.header(name);
    const credentials = readCredentials({ query, header, clientIdFilters });
    const principal = await this.core.authentication.prove(credentials, this.now());
    this.about(request, principal.app.id);
    return principal;
  }

  /** The request turned out to be about this app. */
  about(request: HttpRequest, appId: string): void {
    this.#apps.set(request, appId);
  }

  /** Counts messages that were published; resolves when they are counted, or after a while all the same. */
  inbound({ app }: Principal, messages: readonly Measurable[]): Promise<void> {
    return this.core.statistics.inbound(app.id, 'rest', measured(messages));
  }

  /** Counts messages that were read. */
  outbound({ app }: Principal, messages: readonly Measurable[]): void {
    if (messages.length > 0) this.core.statistics.outbound(app.id, 'rest', measured(messages));
  }

  /** Counts a request that was answered, if it is known for which app. */
  answered(request: HttpRequest, status: number, responseBytes: number): void {
    if (status >= 500) this.core.counters.add('backend_failure');
    const appId = this.#apps.get(request);
    if (appId === undefined) return;
    const kind = status < 400 ? 'succeeded' : 'failed';
    this.core.statistics.observe(appId, {
      [`apiRequests.${kind}`]: 1,
      'apiRequests.requestBytes': request.bodyLength,
      'apiRequests.responseBytes': responseBytes,
    });
  }

  /** @throws CompatError 40160 unless one of the operations is granted on the channel of the path. */
  async channel(ask: Ask, operations: readonly string[], clientIdFilters = false): Promise<Access> {
    const principal = await this.principal(ask, clientIdFilters);
    return this.named(principal, ask.request.params['channel'] ?? '', operations);
  }

  named(principal: Principal, text: string, operations: readonly string[]): Access {
    const name = readOwnChannelName(text);
    if (!operations.some((one) => isGranted(principal, one, name.base)))
      throw new CompatError(40_160, NOT_GRANTED);
    return { principal, name, channel: this.core.channel(principal.app, name.base) };
  }

  /** Counts a call in the window of the app. */
  async count(principal: Principal, kind: 'backend' | 'read', cost = 1): Promise<void> {
    await this.rate.admit(callerOf(principal, 'rest'), kind, () => cost);
  }
}

/** The empty name stands for any operation. */
const isGranted = ({ capability }: Principal, operation: string, base: string): boolean =>
  operation === '' ? capability.onChannel(base).length > 0 : capability.allows(operation, base);
