import { BROADCAST, encode } from '@carillon/contracts';
import { expect, onTestFinished, vi } from 'vitest';
import type { ClusterOptions } from '../src/cluster/cluster-parts.js';
import { bodyOf } from '../src/cluster/event-message.js';
import type { Routing } from '../src/cluster/members.js';
import type { Session, Wire } from '../src/cluster/wire.js';
import { clusterNode, known, OPTIONS, type ClusterNode } from './cluster.js';
import { event, Gateway } from './samples.js';

/** A broker shared by tests, and the routing of its nodes. */
export interface SharedBroker {
  readonly routing: Routing;
  wire(): Promise<Wire>;
}

/** Limit of deliveries. */
export const SOON = { timeout: 15_000, interval: 5 };
/** Largest message of the nodes. */
export const CAP = OPTIONS.maxMessageBytes;

/** A node with sockets. */
export interface Node extends ClusterNode {
  readonly gateway: Gateway;
}

function nodeOn(wire: Wire, options: Partial<ClusterOptions>): Node {
  const node = clusterNode(wire, options);
  onTestFinished(() => node.broker.close());
  return { ...node, gateway: new Gateway(node.broker) };
}

/** Starts `count` nodes that know each other, with functions to add more; all are closed after the test. */
export async function installation(broker: SharedBroker, count: number, more: Partial<ClusterOptions> = {}) {
  const member = (wire: Wire, own: Partial<ClusterOptions> = {}): Node =>
    nodeOn(wire, { routing: broker.routing, ...more, ...own });
  const join = async (own: Partial<ClusterOptions> = {}) => member(await broker.wire(), own);
  const nodes = await Promise.all(Array.from({ length: count }, () => join()));
  await known(nodes, count - 1);
  const [first, second] = nodes;
  if (first === undefined || second === undefined) throw new Error('at least two nodes');
  return { broker, join, member, nodes, first, second };
}

/** Returns the ids of the received events. */
const ids = ({ gateway }: Node): string[] => gateway.received.map(({ eventId }) => eventId);

/** Opens a session of a foreign client of the broker. */
export async function stranger(broker: SharedBroker): Promise<{ wire: Wire; session: Session }> {
  const wire = await broker.wire();
  const listener = { message: () => {}, dropped: () => {}, lost: () => {} };
  const session = await wire.open(listener);
  onTestFinished(() => session.close());
  return { wire, session };
}

/** Resolves when messages sent earlier have arrived. */
export async function fence(from: Node, to: Node): Promise<void> {
  const fenceEvent = event('fence');
  await to.broker.subscribe('shop', 'fence');
  await from.broker.publish(fenceEvent);
  await vi.waitFor(() => expect(ids(to)).toContain(fenceEvent.eventId), SOON);
}

/** An event as another node would send it. */
export const written = (...args: Parameters<typeof bodyOf>): string => {
  const encoded = encode(BROADCAST, bodyOf(...args), CAP);
  if (!encoded.ok) throw new Error(encoded.detail);
  return encoded.text;
};
