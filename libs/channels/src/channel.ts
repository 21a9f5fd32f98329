import type { ChannelNamespace } from '@carillon/config';
import type { ChannelKind, ChannelTraits } from './channel-kind.js';
import type { ChannelPolicy } from './policy.js';
import type { Wildcard } from './wildcard.js';

interface Checked {
  readonly accepted: true;
  /** Name as sent, with prefix and suffix. */
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
  /** Admitted users; null: all. Never empty. */
  readonly users: ReadonlySet<string> | null;
}

/** Speaks to every socket of one user; nothing is kept and clients cannot publish. */
export interface ServerToUserChannel extends Checked {
  readonly form: 'server_to_user';
  /** Not empty, printable, otherwise free. */
  readonly userId: string;
}

/** Reports events of another channel. Whether it needs a signature follows from the base. */
export interface MetaChannel extends Checked {
  readonly form: 'meta';
  readonly base: OrdinaryChannel;
}

/** A subscription to all public channels that fit. Never something to publish to. */
export interface ChannelPattern extends Checked {
  readonly form: 'pattern';
  readonly wildcard: Wildcard;
}

/** Valid subscription targets, by name. */
export type SubscribableChannel = OrdinaryChannel | ServerToUserChannel | MetaChannel | ChannelPattern;

/** Valid targets of publishes and reads. */
export type PublishableChannel = OrdinaryChannel | ServerToUserChannel;
