import { lookup } from 'node:dns/promises';
import {
  type Client,
  type EmptyCallback,
  type ExecutionOptions,
  type Host,
  type HostMap,
  policies,
  types,
} from 'cassandra-driver';
import { ScyllaRejected } from './failures.js';

const { DCAwareRoundRobinPolicy, LoadBalancingPolicy, TokenAwarePolicy } = policies.loadBalancing;

/**
 * Sends requests to replicas in the local data center, which is that of the configured nodes. Consistency levels with
 * LOCAL mean the data center of the node that answers, so all processes of an installation must use the same one.
 */
export class LocalDataCenterPolicy extends LoadBalancingPolicy {
  #chosen: policies.loadBalancing.LoadBalancingPolicy | null = null;

  /** @param addresses Configured nodes as `address:port`. */
  constructor(private readonly addresses: ReadonlySet<string>) {
    super();
  }

  override init(client: Client, hosts: HostMap, callback: EmptyCallback): void {
    try {
      const local = localDataCenter(hosts.values(), this.addresses);
      this.#chosen = new TokenAwarePolicy(new DCAwareRoundRobinPolicy(local));
    } catch (thrown) {
      callback(thrown as Error);
      return;
    }
    this.#chosen.init(client, hosts, callback);
  }

  override getDistance(host: Host): types.distance {
    return this.#chosen?.getDistance(host) ?? types.distance.ignored;
  }

  override newQueryPlan(
    keyspace: string,
    options: ExecutionOptions,
    callback: (error: Error, hosts: Iterator<Host>) => void,
  ): void {
    this.#chosen?.newQueryPlan(keyspace, options, callback);
  }

  override getOptions(): Map<string, object> {
    return new Map();
  }
}

/** The data center of the configured nodes. @throws ScyllaRejected if they are in several, or none of several is theirs. */
export function localDataCenter(
  hosts: readonly Pick<Host, 'address' | 'datacenter'>[],
  addresses: ReadonlySet<string>,
): string {
  const all = new Set(hosts.map(({ datacenter }) => datacenter));
  const configured = hosts.filter(({ address }) => addresses.has(address));
  const candidates = all.size === 1 ? all : new Set(configured.map(({ datacenter }) => datacenter));
  const [only] = candidates;
  if (candidates.size === 1 && only !== undefined) return only;
  throw new ScyllaRejected(
    candidates.size === 0
      ? `database.scylladb.nodes: no address is one that the cluster announces, so the local data center is unknown; it has ${list(all)}`
      : `database.scylladb.nodes: the nodes are in the data centers ${list(candidates)}; list nodes of one data center`,
  );
}

/** Addresses of the nodes as the cluster announces them; names that do not resolve are left out. */
export async function resolveNodes(nodes: readonly string[]): Promise<ReadonlySet<string>> {
  const resolved = await Promise.allSettled(nodes.map(addressesOf));
  return new Set(resolved.flatMap((one) => (one.status === 'fulfilled' ? one.value : [])));
}

async function addressesOf(node: string): Promise<string[]> {
  const { hostname, port } = new URL(`cql://${node}`);
  const found = await lookup(hostname.replace(/^\[(.*)\]$/, '$1'), { all: true });
  return found.map(({ address }) => `${address}:${port === '' ? '9042' : port}`);
}

const list = (names: Iterable<string>): string => [...names].map((name) => `"${name}"`).join(', ');
