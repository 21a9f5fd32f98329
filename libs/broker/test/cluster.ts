import { newNodeId, type OnListenerFault } from '../src/index.js';
import { ClusterBroker } from '../src/cluster/cluster-broker.js';
import type { ClusterOptions } from '../src/cluster/cluster-parts.js';
import type { ClusterMeters, ClusterReadings } from '../src/cluster/meters.js';
import type { Wire } from '../src/cluster/wire.js';
import { vi } from 'vitest';

/** Settings of production, with shorter times. */
export const OPTIONS: ClusterOptions = {
  routing: 'interest',
  isWatching: true,
  heartbeatIntervalMs: 300,
  nodeTimeoutMs: 1500,
  cleanupIntervalMs: 200,
  discovery: { maxWaitMs: 1000, idleWaitMs: 150 },
  lingerMs: 50,
  confirmTimeoutMs: 2000,
  coalesceMs: 5,
  coalesceMax: 512,
  requestTimeoutMs: 1000,
  quickTimeoutMinMs: 1000,
  nodesNumber: null,
  maxMessageBytes: 256 * 1024,
  maxReconnects: null,
};

/** A cluster node with its counters and log. */
export interface ClusterNode {
  readonly broker: ClusterBroker;
  readonly counts: Record<keyof ClusterMeters, number>;
  readonly readings: () => ClusterReadings;
  readonly lines: string[];
}

export function clusterNode(
  wire: Wire,
  more: Partial<ClusterOptions> = {},
  onFault: OnListenerFault = () => {},
): ClusterNode {
  const counts = {
    dropped: 0,
    published: 0,
    received: 0,
    unneeded: 0,
    reconnected: 0,
    interestConfirmed: 0,
    interestTimeout: 0,
    interestRefused: 0,
    asked: 0,
    resolved: 0,
    requestReceived: 0,
    responseReceived: 0,
    nodeDead: 0,
  };
  const lines: string[] = [];
  const say = (message: string): number => lines.push(message);
  let readings: (() => ClusterReadings) | null = null;
  const broker = new ClusterBroker({
    wire,
    options: { ...OPTIONS, ...more },
    newNodeId: () => newNodeId('gw'),
    onFault,
    log: { info: say, warn: say, error: say },
    meters: (read) => {
      readings = read;
      const names = Object.keys(counts) as (keyof ClusterMeters)[];
      const meters = names.map((name) => [name, () => (counts[name] += 1)] as const);
      return Object.fromEntries(meters) as unknown as ClusterMeters;
    },
  });
  return {
    broker,
    counts,
    lines,
    readings: () => readings?.() ?? { queueDepth: 0, interestChannels: 0, nodes: 0, isLeader: false },
  };
}

/** Resolves when each of them knows this many others. */
export const known = (nodes: readonly ClusterNode[], peers: number): Promise<void> =>
  vi.waitFor(
    () => {
      for (const { broker } of nodes) {
        if (broker.peers.length !== peers) throw new Error(`knows ${broker.peers.length} of ${peers}`);
      }
    },
    { timeout: 15_000, interval: 10 },
  );

/** Resolves when all that are named are known by all that listen, however many of them listen. */
export const knownListeners = async (nodes: readonly ClusterNode[]): Promise<void> => {
  for (const { broker } of nodes) {
    await vi.waitFor(
      async () => {
        const problem = await broker.health();
        if (problem !== null) throw new Error(problem);
      },
      { timeout: 15_000 },
    );
  }
  const listening = nodes.filter(({ readings }) => readings().nodes > 0);
  const members = listening.filter(({ broker, readings }) => readings().nodes === broker.peers.length + 1);
  await known(members, members.length - 1);
};
