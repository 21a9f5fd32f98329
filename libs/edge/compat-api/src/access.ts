import {
  callerOf,
  type ChannelName,
  CompatError,
  type CompatCore,
  NOT_GRANTED,
  type Principal,
  readChannelName,
  readCredentials,
} from '@carillon/compat-core';
import type { OrdinaryChannel } from '@carillon/channels';
import type { AppRate } from '@carillon/operations';
import type { Ask } from './exchange.js';

/** Who asks, and about which channel. */
export interface Access {
  readonly principal: Principal;
  readonly name: ChannelName;
  readonly channel: OrdinaryChannel;
}

/** Proves who asks and what they may do. */
export class Entry {
  constructor(
    private readonly core: CompatCore,
    private readonly rate: Pick<AppRate, 'admit'>,
    private readonly now: () => number = Date.now,
  ) {}

  principal({ request }: Ask, clientIdFilters = false): Promise<Principal> {
    const { query } = request;
    const header = (name: string): string | undefined => request.header(name);
    return this.core.authentication.prove(readCredentials({ query, header, clientIdFilters }), this.now());
  }

  /** @throws CompatError 40160 unless one of the operations is granted on the channel of the path. */
  async channel(ask: Ask, operations: readonly string[], clientIdFilters = false): Promise<Access> {
    const principal = await this.principal(ask, clientIdFilters);
    return this.named(principal, ask.request.params['channel'] ?? '', operations);
  }

  named(principal: Principal, text: string, operations: readonly string[]): Access {
    const name = readChannelName(text);
    if (!operations.some((one) => isGranted(principal, one, name.base)))
      throw new CompatError(40_160, NOT_GRANTED);
    return { principal, name, channel: this.core.channel(principal.app, name.base) };
  }

  /** Counts a call in the window of the app. */
  async count(principal: Principal, kind: 'backend' | 'read', cost = 1): Promise<void> {
    await this.rate.admit(callerOf(principal, 'rest'), kind, () => cost);
  }
}

/** The empty name stands for any operation at all. */
const isGranted = ({ capability }: Principal, operation: string, base: string): boolean =>
  operation === '' ? capability.onChannel(base).length > 0 : capability.allows(operation, base);
