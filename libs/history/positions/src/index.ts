export { MemoryReplay, type MemoryReplayOptions } from './drivers/memory.js';
export { RedisReplay, type RedisReplayParts } from './drivers/redis.js';
export { ReplayUnavailable } from './failures.js';
export { REPLAY, ReplayModule } from './module.js';
export { openReplay, type ReplayConfig } from './open.js';
export {
  type NewReplayEntry,
  type Replay,
  type ReplayBounds,
  type ReplayEntry,
  type ReplayPlace,
  type ReplayRange,
  type StreamPosition,
} from './port.js';
