export { parseRedisAddress, type RedisAddress, type RedisCredentials, type RedisNode } from './address.js';
export { type ConnectionListener } from './connection.js';
export { RedisUnavailable, type RedisFailure } from './failures.js';
export { openRedisLink, RedisLink, type RedisArgument, type RedisLinkOptions } from './link.js';
export { openRedisPubSub, type RedisPubSubOptions } from './pub-sub/open.js';
export { type ClassicPubSub, type PubSubListener, type RedisPubSub } from './pub-sub/pub-sub.js';
export { replyReader, type ReplyReader } from './reply-reader.js';
export { redisScript, type RedisScript } from './script.js';
export { redisTarget, type RedisTarget, type RedisUse } from './target.js';
