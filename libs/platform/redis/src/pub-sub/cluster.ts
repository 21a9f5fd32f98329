import type { Cluster, Redis } from 'ioredis';
import { RedisUnavailable } from '../failures.js';
import { unavailable } from '../unavailable.js';
import { keySlot } from './key-slot.js';
import { CLASSIC, SHARDED, type PubSubListener, type RedisPubSub } from './pub-sub.js';
import { RoutedPubSub } from './routed.js';
import { ServerPair } from './server-pair.js';
import { untilReady } from './until-ready.js';

interface ClusterPubSubOptions {
  readonly sharded: boolean;
  readonly listener: PubSubListener;
}

/**
 * Opens a session over the members of a cluster: all masters, each for its slots, or, without sharded channels, one
 * of them, which broadcasts to the others. The client only lists the members.
 */
export async function openClusterPubSub(
  cluster: Cluster,
  { sharded, listener }: ClusterPubSubOptions,
): Promise<RedisPubSub> {
  try {
    await untilReady(cluster);
    const masters = cluster.nodes('master');
    const isSharded = sharded && (await knowsSharded(cluster));
    const owners = isSharded ? await slotOwners(cluster, masters) : new Map<string, Slots>();
    return await openPairs(isSharded ? masters : oneOf(masters), owners, listener);
  } catch (error) {
    throw unavailable(error);
  } finally {
    cluster.disconnect();
  }
}

/** First and last slot of each range. */
type Slots = [number, number][];

async function openPairs(
  servers: readonly Redis[],
  owners: ReadonlyMap<string, Slots>,
  listener: PubSubListener,
): Promise<RedisPubSub> {
  const session: { close: () => void } = { close: () => undefined };
  const ownListener: PubSubListener = {
    message: (channel, bytes) => listener.message(channel, bytes),
    lost: (reason) => {
      session.close();
      listener.lost(reason);
    },
  };
  const own = { lazyConnect: true, enableOfflineQueue: false };
  const pairs = servers.map((one) => new ServerPair(one.duplicate(own), one.duplicate(own), ownListener));
  session.close = () => pairs.forEach((pair) => pair.close());
  try {
    await Promise.all(pairs.map((pair) => pair.connect()));
  } catch (error) {
    session.close();
    throw error;
  }
  const [first] = pairs;
  if (first === undefined) throw new RedisUnavailable('lost', 'the cluster has no masters');
  const bySlot = slotTable(servers, pairs, owners);
  return new RoutedPubSub({
    pairs,
    isCluster: true,
    dialect: owners.size === 0 ? CLASSIC : SHARDED,
    route: owners.size === 0 ? () => first : (channel) => bySlot[keySlot(channel)] ?? null,
    trouble: () => clusterTrouble(first),
  });
}

const oneOf = (servers: readonly Redis[]): readonly Redis[] => {
  const chosen = servers[Math.floor(Math.random() * servers.length)];
  return chosen === undefined ? [] : [chosen];
};

const address = ({ options: { host, port } }: Redis): string => `${host}:${port}`;

async function knowsSharded(cluster: Cluster): Promise<boolean> {
  const [known] = (await cluster.call('command', 'info', 'ssubscribe')) as readonly unknown[];
  return known !== null && known !== undefined;
}

/** Returns the slots of each master by address. */
async function slotOwners(cluster: Cluster, masters: readonly Redis[]): Promise<Map<string, Slots>> {
  const ranges = (await cluster.call('cluster', 'slots')) as readonly [number, number, [string, number]][];
  const owners = new Map<string, Slots>(masters.map((master) => [address(master), []]));
  for (const [from, to, [host, port]] of ranges) {
    const slots = owners.get(`${host}:${port}`);
    if (slots === undefined) throw new RedisUnavailable('lost', 'the cluster changes');
    slots.push([from, to]);
  }
  return owners;
}

function slotTable(
  servers: readonly Redis[],
  pairs: readonly ServerPair[],
  owners: ReadonlyMap<string, Slots>,
): readonly (ServerPair | undefined)[] {
  const bySlot: (ServerPair | undefined)[] = [];
  for (const [at, server] of servers.entries()) {
    for (const [from, to] of owners.get(address(server)) ?? []) {
      for (let slot = from; slot <= to; slot += 1) bySlot[slot] = pairs[at];
    }
  }
  return bySlot;
}

/** A partitioned part of a cluster still answers, but reaches no other part. */
async function clusterTrouble(member: ServerPair): Promise<string | null> {
  const state = /cluster_state:(\w+)/.exec(String(await member.call('cluster', 'info')))?.[1];
  return state === 'ok' ? null : `the state of the cluster is ${state ?? 'unknown'}`;
}
