import { matches, optional, secret, string, u32, u64 } from '../../kernel/index.js';

/** The settings in which the adapter and the queue differ for the same broker. */
export interface BrokerBlock {
  /** Default of `prefix`. */
  readonly prefix: string;
}

/** The names after the prefix are also limited, so that every broker accepts the full name. */
export const MAX_PREFIX_LENGTH = 128;

export const prefix = (initial: string, env: string) =>
  string({
    default: initial,
    notEmpty: true,
    maxLength: MAX_PREFIX_LENGTH,
    bounds: [matches(/^[^\s*>?]*$/, 'without white space, `*`, `>` and `?`')],
    env,
    meaning: 'In front of every subject, topic, exchange or queue',
  });
export const timeout = (env: string, initial = 5000) =>
  u64({
    default: initial,
    min: 1,
    unit: 'ms',
    env,
    meaning: 'Time one request to the broker or to peers may take',
  });
export const nodes = (env: string) =>
  optional(u32({ default: null, min: 1, env, meaning: 'Expected number of gateways, a hint' }));
export const name = (env: string, meaning: string) => optional(string({ default: null, env, meaning }));
export const hidden = (env: string, meaning: string) => optional(secret({ default: null, env, meaning }));
export const capacity = (env: string, meaning: string) =>
  optional(u64({ default: null, min: 1, env, meaning }));
