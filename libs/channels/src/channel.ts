import type { ChannelNamespace } from '@carillon/config';
import type { ChannelKind, ChannelTraits } from './channel-kind.js';
import type { ChannelPolicy } from './policy.js';
import type { Wildcard } from './wildcard.js';

interface Checked {
  readonly accepted: true;
  /** As sent, prefix and suffix included. */
  readonly name: string;
  /** Label of the metrics. Special forms count as public. */
  readonly kind: ChannelKind;
  /** Null outside every namespace. */
  readonly namespace: ChannelNamespace | null;
  readonly policy: ChannelPolicy;
}

/** A channel of one of the kinds. */
export interface OrdinaryChannel extends Checked {
  readonly form: 'ordinary';
  readonly traits: ChannelTraits;
  /** Only these users are admitted; null admits everybody. Never empty. */
  readonly users: ReadonlySet<string> | null;
}

/** Speaks to every socket of one user; nothing is kept and clients cannot publish. */
export interface ServerToUserChannel extends Checked {
  readonly form: 'server_to_user';
  /** Not empty, printable, otherwise free. */
  readonly userId: string;
}

/** Tells about another channel. Whether it needs a signature follows from the base. */
export interface MetaChannel extends Checked {
  readonly form: 'meta';
  readonly base: OrdinaryChannel;
}

/** A subscription to all public channels that fit. Never something to publish to. */
export interface ChannelPattern extends Checked {
  readonly form: 'pattern';
  readonly wildcard: Wildcard;
}

/** What a client may subscribe to, as far as names go. */
export type SubscribableChannel = OrdinaryChannel | ServerToUserChannel | MetaChannel | ChannelPattern;

/** What can be published to and read back. */
export type PublishableChannel = OrdinaryChannel | ServerToUserChannel;
