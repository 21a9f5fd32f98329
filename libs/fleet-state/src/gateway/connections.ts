import type { Infer, Json } from '@carillon/contracts';
import type { AppHub, Hub, Subscriber } from '@carillon/realtime';
import type { ConnectionFilter } from '../fleet/items.js';
import { addressFilter, type AddressFilter } from './address-filter.js';
import { connectionDetails, connectionItem } from './connection-item.js';
import type { CONNECTION_REQUEST, CONNECTIONS_REQUEST } from './requests.js';
import { Slices } from './slices.js';

type Request = Infer<typeof CONNECTIONS_REQUEST>;

/** Candidates kept before the list is cut to the page: bounds memory, however many match. */
const KEPT_PAGES = 4;

interface Filter extends Omit<ConnectionFilter, 'address' | 'app_ids'> {
  readonly app_ids: readonly string[] | null;
  readonly matchesAddress: AddressFilter | null;
}

/** Lists connections of this node in order of their admission. */
export class LocalConnections {
  constructor(
    private readonly hub: Pick<Hub, 'hubs'>,
    private readonly nodeId: () => string,
  ) {}

  /** One page; the first one counts all that match. */
  async page({ filter, after, limit }: Request): Promise<Json> {
    const nodeId = this.nodeId();
    const afterNode = after?.node_id ?? '';
    const isFirst = after === null || after === undefined;
    const isSkipped = !isFirst && nodeId < afterNode;
    const from = nodeId === afterNode ? (after?.sequence ?? 0) : 0;
    const { address, ...others } = filter;
    const matchesAddress = address === undefined ? null : addressFilter(address);
    const isOfOthers = others.node_id !== undefined && others.node_id !== nodeId;
    const isImpossible = address !== undefined && matchesAddress === null;
    if (isSkipped || isOfOthers || isImpossible) return { items: [], sequences: [], more: false, total: 0 };
    const found = await this.#find(
      { ...others, app_ids: filter.app_ids ?? null, matchesAddress },
      from,
      limit,
    );
    const page = found.subscribers.slice(0, limit);
    return {
      items: page.map((subscriber) => ({ ...connectionItem(subscriber, nodeId) })),
      sequences: page.map(({ acceptSequence }) => acceptSequence),
      more: found.subscribers.length > limit,
      ...(isFirst ? { total: found.total } : {}),
    };
  }

  /** Null if the connection is not on this node. */
  one({ app_id: appId, socket_id: socketId }: Infer<typeof CONNECTION_REQUEST>): Json {
    const subscriber = this.hub.hubs.find(appId)?.subscriber(socketId) ?? null;
    if (subscriber === null || !subscriber.isOpen) return null;
    const { subscriptions, ...item } = connectionDetails(subscriber, this.nodeId());
    return { ...item, subscriptions: subscriptions.map((one) => ({ ...one })) };
  }

  async #find(
    filter: Filter,
    from: number,
    limit: number,
  ): Promise<{ readonly subscribers: readonly Subscriber[]; readonly total: number }> {
    const slices = new Slices();
    let kept: Subscriber[] = [];
    let total = 0;
    for (const hub of this.#apps(filter)) {
      for (const subscriber of candidates(hub, filter)) {
        const turn = slices.step();
        if (turn !== undefined) await turn;
        if (!matches(subscriber, filter)) continue;
        total += 1;
        if (subscriber.acceptSequence <= from) continue;
        kept.push(subscriber);
        if (kept.length > (limit + 1) * KEPT_PAGES) kept = earliest(kept, limit + 1);
      }
    }
    return { subscribers: earliest(kept, limit + 1), total };
  }

  *#apps({ app_ids: appIds }: Filter): Generator<AppHub> {
    if (appIds === null) {
      yield* this.hub.hubs;
      return;
    }
    for (const appId of new Set(appIds)) {
      const hub = this.hub.hubs.find(appId);
      if (hub !== null) yield hub;
    }
  }
}

/** The smallest index that holds every connection that matches. */
function candidates(hub: AppHub, { user_id: userId, channel }: Filter): Iterable<Subscriber> {
  if (userId !== undefined) return hub.signedIn.of(userId);
  if (channel === undefined) return hub.subscribers;
  const local = hub.channels.get(channel);
  return local === undefined ? [] : distinct(local.audiences);
}

/** Subscribers with several views of a channel are in several audiences. */
function* distinct(
  audiences: Iterable<{ readonly subscribers: Iterable<Subscriber> }>,
): Generator<Subscriber> {
  const seen = new Set<Subscriber>();
  for (const { subscribers } of audiences) {
    for (const subscriber of subscribers) {
      if (seen.has(subscriber)) continue;
      seen.add(subscriber);
      yield subscriber;
    }
  }
}

function matches(subscriber: Subscriber, { channel, protocol, matchesAddress }: Filter): boolean {
  if (!subscriber.isOpen) return false;
  if (protocol !== undefined && subscriber.traits.protocol !== protocol) return false;
  if (channel !== undefined && subscriber.subscriptions.get(channel) === undefined) return false;
  return matchesAddress === null || matchesAddress(subscriber.address);
}

const earliest = (subscribers: readonly Subscriber[], count: number): Subscriber[] =>
  subscribers.toSorted((one, other) => one.acceptSequence - other.acceptSequence).slice(0, count);
