/** Properties determined by the kind of a channel. */
export interface ChannelTraits {
  /** Name prefix of this kind. */
  readonly prefix: string;
  /** Subscribing needs a channel signature. */
  readonly signed: boolean;
  /** Subscribers are members that the others see. */
  readonly members: boolean;
  /** The last event is kept and sent to new subscribers. */
  readonly keepsLastEvent: boolean;
  /** Payloads are opaque: only the customer's server and its clients can read them. */
  readonly encrypted: boolean;
  /** Clients may publish. */
  readonly clientEvents: boolean;
  /** V2 subscribers may receive differences instead of full messages. */
  readonly deltas: boolean;
}

const PUBLIC: ChannelTraits = {
  prefix: '',
  signed: false,
  members: false,
  keepsLastEvent: false,
  encrypted: false,
  clientEvents: false,
  deltas: true,
};
const PRIVATE: ChannelTraits = { ...PUBLIC, prefix: 'private-', signed: true, clientEvents: true };
const PRESENCE: ChannelTraits = { ...PRIVATE, prefix: 'presence-', members: true };
const ENCRYPTED: ChannelTraits = {
  ...PRIVATE,
  prefix: 'private-encrypted-',
  encrypted: true,
  clientEvents: false,
  deltas: false,
};

/** A cache prefix adds the last event and changes nothing else: it never weakens authorization. */
const cached = (base: ChannelTraits): ChannelTraits => ({
  ...base,
  prefix: `${base.prefix}cache-`,
  keepsLastEvent: true,
});

/** Every kind with its traits; the keys are the `channel_type` labels of the metrics. */
export const CHANNEL_KINDS = Object.freeze({
  public: Object.freeze(PUBLIC),
  private: Object.freeze(PRIVATE),
  private_encrypted: Object.freeze(ENCRYPTED),
  presence: Object.freeze(PRESENCE),
  cache: Object.freeze(cached(PUBLIC)),
  private_cache: Object.freeze(cached(PRIVATE)),
  private_encrypted_cache: Object.freeze(cached(ENCRYPTED)),
  presence_cache: Object.freeze(cached(PRESENCE)),
});

/** The kind of a channel, by its name alone. */
export type ChannelKind = keyof typeof CHANNEL_KINDS;

const LONGEST_PREFIX_FIRST = (Object.keys(CHANNEL_KINDS) as ChannelKind[]).sort(
  (one, other) => CHANNEL_KINDS[other].prefix.length - CHANNEL_KINDS[one].prefix.length,
);

/** Returns the kind with the longest matching prefix; a name without a type prefix is public. Defined for any text. */
export function kindOf(name: string): ChannelKind {
  return LONGEST_PREFIX_FIRST.find((kind) => name.startsWith(CHANNEL_KINDS[kind].prefix)) ?? 'public';
}

/** The name without its one type prefix. */
export function logicalName(name: string): string {
  return name.slice(CHANNEL_KINDS[kindOf(name)].prefix.length);
}
