import { redisNames } from '@carillon/contracts';
import type { RedisPubSub, RedisPubSubOptions } from '@carillon/redis';
import type { BrokerHost } from '../../cluster/broker-hosts.js';
import { SessionLost, type Session, type SessionListener, type Wire } from '../../cluster/wire.js';
import { RedisLanes } from './redis-lanes.js';

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
  const names = redisNames(prefix);
  return {
    names,
    hosts: redisHosts(way.subscribeTo),
    open: async (listener): Promise<Session> => {
      const heard: { lanes?: RedisLanes } = {};
      const session = await openRedisPubSub({ ...way, listener: past(heard, listener) });
      const lanes = new RedisLanes(classicOf(session, told), names);
      heard.lanes = lanes;
      return {
        lanes,
        hasPatterns: session.hasPatterns,
        publish: (address, text) => told(session.publish(address, text)),
        subscribe: (addresses) => told(subscribed(session, addresses)),
        unsubscribe: (addresses) => told(unsubscribed(session, addresses)),
        check: () => told(session.check()),
        close: async () => {
          session.close();
          lanes.close();
        },
      };
    },
  };
}

/** Returns the configured hosts; for sentinels, those of the sentinels, which alone know the servers. */
function redisHosts(target: RedisPubSubOptions['subscribeTo']): readonly BrokerHost[] {
  if (target.kind === 'standalone') return [target.node];
  return target.kind === 'sentinel' ? target.sentinels : target.nodes;
}

/** Passes messages to the lanes before the session listener. */
const past = (first: { readonly lanes?: RedisLanes }, listener: SessionListener) => ({
  message: (channel: string, bytes: Uint8Array): void => {
    if (first.lanes?.received(channel, bytes) !== true) listener.message(channel, bytes);
  },
  lost: (reason: string): void => {
    first.lanes?.close();
    listener.lost(reason);
  },
});

const classicOf = (
  { classic }: RedisPubSub,
  told: <Value>(answer: Promise<Value>) => Promise<Value>,
): RedisPubSub['classic'] => ({
  publish: (channel, text) => told(classic.publish(channel, text)),
  subscribe: (channel) => told(classic.subscribe(channel)),
  unsubscribe: (channel) => told(classic.unsubscribe(channel)),
});

/** An address of all channels of an app is a pattern; a channel that is written like one comes with them. */
const isPattern = (address: string): boolean => address.endsWith(':*');

async function subscribed(session: RedisPubSub, addresses: readonly string[]): Promise<readonly string[]> {
  const patterns = addresses.filter(isPattern);
  const [refused, ...taken] = await Promise.all([
    session.subscribe(addresses.filter((address) => !isPattern(address))),
    ...patterns.map((pattern) => session.subscribePattern(pattern)),
  ]);
  return [...refused, ...patterns.filter((_, at) => taken[at] === false)];
}

async function unsubscribed(session: RedisPubSub, addresses: readonly string[]): Promise<void> {
  await Promise.all([
    session.unsubscribe(addresses.filter((address) => !isPattern(address))),
    ...addresses.filter(isPattern).map((pattern) => session.unsubscribePattern(pattern)),
  ]);
}
