/** A condition on the tags of a message. */
export type TagFilter =
  | { readonly key: string; readonly cmp: 'ex' | 'nex' }
  | {
      readonly key: string;
      readonly cmp: 'in' | 'nin';
      readonly vals: readonly (string | number | boolean)[];
    }
  | {
      readonly key: string;
      readonly cmp: 'eq' | 'neq' | 'sw' | 'ew' | 'ct' | 'gt' | 'gte' | 'lt' | 'lte';
      readonly val: string | number | boolean;
    }
  | { readonly op: 'and' | 'or' | 'not'; readonly nodes: readonly TagFilter[] };

/** Selects the messages of a channel that the service sends to this client. All given conditions must match. */
export interface Filter {
  /** Names of events. */
  readonly events?: readonly string[];
  readonly tags?: TagFilter;
  /** JMESPath over the message. */
  readonly expression?: string;
}

/** Options of a subscription. */
export interface SubscribeOptions {
  readonly filter?: Filter;
  /** Start with the last N messages, or with those of the last N seconds. */
  readonly rewind?: number | { readonly seconds: number };
  /** Otherwise than the connection: by this algorithm, or not at all. */
  readonly delta?: 'fossil' | 'xdelta3' | false;
  /** Also get every single annotation, not only summaries. */
  readonly annotations?: boolean;
}

/** The members of `service:subscribe` for these, to be written as JSON. `rewind` only where it is wanted now. */
export const subscribeData = (
  { filter, rewind, delta, annotations }: SubscribeOptions,
  rewinds: boolean,
): Readonly<Record<string, unknown>> => ({
  // Without any member the service could not distinguish a filter from an invalid tag condition.
  filter: filter && { ...filter, events: filter.events ?? [] },
  rewind: rewinds ? rewind : undefined,
  delta,
  modes: annotations === true ? ['SUBSCRIBE', 'ANNOTATION_SUBSCRIBE'] : undefined,
});
