import { createHash } from 'node:crypto';

/** A Lua script that reads and writes the keys it is given and no others, in one atomic step. */
export interface RedisScript {
  readonly lua: string;
  /** SHA-1 by which the server caches it. */
  readonly sha1: string;
}

export const redisScript = (lua: string): RedisScript => ({
  lua,
  sha1: createHash('sha1').update(lua).digest('hex'),
});
