import { CHANNEL_KINDS } from './channel-kind.js';
import type { MetaChannel, OrdinaryChannel } from './channel.js';

const PREFIX = '[meta]';

/** Returns the meta channel of a channel. */
export const metaChannel = (base: string): string => `${PREFIX}${base}`;

/** The name after `[meta]`, which may be anything; null for every other name. */
export function metaBase(name: string): string | null {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : null;
}

/** A meta channel as a subscription target: nothing of it is stored, and nothing can be published to it. */
export function toldAbout({ name, namespace, policy }: MetaChannel): OrdinaryChannel {
  return {
    accepted: true,
    form: 'ordinary',
    name,
    kind: 'public',
    traits: { ...CHANNEL_KINDS.public, deltas: false },
    namespace,
    policy: {
      ...policy,
      annotationsEnabled: false,
      history: { ...policy.history, enabled: false, rewindEnabled: false },
      presenceHistory: { ...policy.presenceHistory, enabled: false },
      recovery: { ...policy.recovery, enabled: false },
    },
    users: null,
  };
}
