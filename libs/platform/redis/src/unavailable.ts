import { RedisUnavailable } from './failures.js';

/** Converts an error of the library. */
export function unavailable(thrown: unknown): RedisUnavailable {
  if (thrown instanceof RedisUnavailable) return thrown;
  const message = thrown instanceof Error ? thrown.message : 'unknown failure';
  const refused = thrown instanceof Error && thrown.name === 'ReplyError';
  return new RedisUnavailable(refused ? 'refused' : 'lost', message, thrown);
}
