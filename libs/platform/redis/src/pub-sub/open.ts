import type { Cluster, Redis } from 'ioredis';
import { createClient } from '../client.js';
import { RedisUnavailable } from '../failures.js';
import type { ClusterTarget, RedisTarget, SentinelTarget, StandaloneTarget } from '../target.js';
import { openClusterPubSub } from './cluster.js';
import { CLASSIC, type PubSubListener, type RedisPubSub } from './pub-sub.js';
import { RoutedPubSub } from './routed.js';
import { ServerPair } from './server-pair.js';

export interface RedisPubSubOptions {
  readonly publishTo: RedisTarget;
  /** The same installation; other than `publishTo` only where the two have addresses of their own. */
  readonly subscribeTo: RedisTarget;
  /** For clusters: sharded if the servers support it, so that a message goes only to the owner of its slot. */
  readonly sharded: boolean;
  readonly listener: PubSubListener;
}

/** One attempt to open a session. Rejects, with nothing left open, when it fails. */
export async function openRedisPubSub(options: RedisPubSubOptions): Promise<RedisPubSub> {
  const { publishTo, subscribeTo, listener, sharded } = options;
  if (publishTo.kind === 'cluster') {
    const cluster = (await createClient(publishTo satisfies ClusterTarget)) as Cluster;
    return openClusterPubSub(cluster, { listener, sharded });
  }
  if (subscribeTo.kind === 'cluster') throw new Error('a cluster is published to and subscribed to alike');
  const [publisher, subscriber] = await Promise.all([single(publishTo), single(subscribeTo)]);
  const pair = new ServerPair(publisher, subscriber, listener);
  await pair.connect();
  const trouble = publishTo.kind === 'sentinel' ? () => demoted(pair) : () => Promise.resolve(null);
  return new RoutedPubSub({ dialect: CLASSIC, isCluster: false, pairs: [pair], route: () => pair, trouble });
}

const single = async (target: SentinelTarget | StandaloneTarget): Promise<Redis> =>
  (await createClient(target)) as Redis;

/** Messages published on a master reach its replicas, but not vice versa. */
async function demoted(pair: ServerPair): Promise<string | null> {
  try {
    const role = (await pair.call('role')) as readonly unknown[];
    return role[0] === 'master' ? null : 'the server is no master any more';
  } catch (error) {
    // A user without the permission gets no answer; sentinels close connections to former masters anyway.
    if (error instanceof RedisUnavailable && error.failure === 'refused') return null;
    throw error;
  }
}
