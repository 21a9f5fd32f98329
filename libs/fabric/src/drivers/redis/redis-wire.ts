import { redisNames } from '@carillon/contract';
import type { RedisPubSubOptions } from '@carillon/redis';
import { SessionLost, type Session, type Wire } from '../../cluster/wire.js';

export interface RedisWireOptions extends Omit<RedisPubSubOptions, 'listener'> {
  readonly prefix: string;
}

/** The way to Redis, single or cluster. Loads the client library. */
export async function redisWire({ prefix, ...way }: RedisWireOptions): Promise<Wire> {
  const { openRedisPubSub, RedisUnavailable } = await import('@carillon/redis');
  const told = async <Value>(answer: Promise<Value>): Promise<Value> => {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof RedisUnavailable) || error.failure === 'refused') throw error;
      throw new SessionLost(error.message);
    }
  };
  return {
    names: redisNames(prefix),
    open: async (listener): Promise<Session> => {
      const session = await openRedisPubSub({ ...way, listener });
      return {
        publish: (address, text) => told(session.publish(address, text)),
        subscribe: (addresses) => told(session.subscribe(addresses)),
        unsubscribe: (addresses) => told(session.unsubscribe(addresses)),
        check: () => told(session.check()),
        close: async () => session.close(),
      };
    },
  };
}
