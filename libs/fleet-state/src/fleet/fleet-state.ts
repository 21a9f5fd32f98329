import { type Json, nullable } from '@carillon/contracts';
import type { FleetBus } from '@carillon/broker';
import type { Metrics } from '@carillon/runtime';
import { type Deadline, Gatherer } from './gather.js';
import type {
  ChannelItem,
  ConnectionDetails,
  ConnectionFilter,
  ConnectionItem,
  Coverage,
  FleetPage,
  MemberItem,
} from './items.js';
import { combineChannels, combineMembers, distinctCount, mergeByKey, mergeConnections } from './merge.js';
import {
  CHANNEL_ANSWER,
  CHANNELS_ANSWER,
  CLOSED_ANSWER,
  CONNECTION_ANSWER,
  CONNECTIONS_ANSWER,
  MEMBERS_ANSWER,
  REMOVED_ANSWER,
} from './shapes.js';

/** Nodes that a position remembers as missing: bounds the length of cursors. */
const MAX_MISSING = 16;

/** Position of a walk over connections. */
export interface ConnectionsPosition {
  readonly node_id: string;
  readonly sequence: number;
  /** Nodes that were missing on an earlier page: they are skipped for the rest of the walk. */
  readonly missing: readonly string[];
}

/** Position of a walk over names. */
export interface NamePosition {
  readonly name: string;
  readonly missing: readonly string[];
}

/** Page of a list. */
export interface PageRequest<Position> extends Deadline {
  readonly limit: number;
  /** Null: the first page. */
  readonly after: Position | null;
}

/** One item of the fleet. `item` is null if no answering node has it. */
export interface Found<Item> extends Coverage {
  readonly item: Item | null;
}

/** State of one channel over all gateways. */
export interface ChannelDetails extends ChannelItem {
  readonly nodes: readonly { readonly node_id: string; readonly subscription_count: number }[];
}

/** Which connections are to be closed, and how. */
export interface Disconnect {
  readonly app_id: string;
  /** Exactly one of both. */
  readonly socket_id?: string;
  readonly user_id?: string;
  /** 4009: for good; 4200: the client reconnects. */
  readonly code: 4009 | 4200;
  /** At most 100 bytes. Absent: the text of the code. */
  readonly message?: string;
}

export interface ChannelQuery {
  readonly app_id: string;
  readonly channel: string;
}

/** Live state of all gateways, requested over the control plane and merged. */
export class FleetState {
  readonly #gatherer: Gatherer;

  constructor(bus: Pick<FleetBus, 'ask'>, metrics: Pick<Metrics, 'counter'>) {
    this.#gatherer = new Gatherer(bus, metrics);
  }

  /** Connections in order of node id and admission. */
  async connections(
    filter: ConnectionFilter,
    { limit, after, deadlineMs }: PageRequest<ConnectionsPosition>,
  ): Promise<FleetPage<ConnectionItem, ConnectionsPosition>> {
    const position = after === null ? null : { node_id: after.node_id, sequence: after.sequence };
    const body = { filter: { ...filter }, after: position, limit };
    const gathered = await this.#gatherer.gather('manage_connections', body, CONNECTIONS_ANSWER, {
      deadlineMs,
    });
    const missing = union(after?.missing, gathered.missing);
    const pages = gathered.answers.filter(([nodeId]) => !missing.includes(nodeId)).map(([, page]) => page);
    const { items, more } = mergeConnections(pages, limit);
    const last = items.at(-1);
    const next =
      more && last !== undefined
        ? { node_id: last.item.node_id, sequence: last.sequence, missing: missing.slice(0, MAX_MISSING) }
        : null;
    const total = pages.reduce((sum, page) => sum + (page.total ?? 0), 0);
    return {
      items: items.map(({ item }) => item),
      next,
      ...(after === null ? { total } : {}),
      ...coverage(missing),
    };
  }

  async connection(appId: string, socketId: string, deadline: Deadline): Promise<Found<ConnectionDetails>> {
    const body = { app_id: appId, socket_id: socketId };
    const shape = nullable(CONNECTION_ANSWER);
    const { answers, missing } = await this.#gatherer.gather('manage_connection', body, shape, deadline);
    const item = answers.flatMap(([, one]) => (one === null ? [] : [one]))[0] ?? null;
    return { item, ...coverage(missing) };
  }

  /** Occupied channels in order of their names. */
  async channels(
    { app_id, prefix }: { readonly app_id: string; readonly prefix: string },
    { limit, after, deadlineMs }: PageRequest<NamePosition>,
  ): Promise<FleetPage<ChannelItem, NamePosition>> {
    const body = { app_id, prefix, after: after?.name ?? null, limit };
    const gathered = await this.#gatherer.gather('manage_channels', body, CHANNELS_ANSWER, { deadlineMs });
    const missing = union(after?.missing, gathered.missing);
    const pages = gathered.answers.filter(([nodeId]) => !missing.includes(nodeId)).map(([, page]) => page);
    const merged = mergeByKey(
      pages.map(({ items, more }) => ({ items: items as readonly ChannelItem[], more })),
      limit,
      ({ channel }) => channel,
      combineChannels,
    );
    const total = after === null ? { total: distinctCount(pages.map(({ hashes }) => hashes)) } : {};
    return { ...named(merged, ({ channel }) => channel, missing), ...total, ...coverage(missing) };
  }

  /** Null item: no answering node has a subscriber. */
  async channel({ app_id, channel }: ChannelQuery, deadline: Deadline): Promise<Found<ChannelDetails>> {
    const shape = nullable(CHANNEL_ANSWER);
    const { answers, missing } = await this.#gatherer.gather(
      'manage_channel',
      { app_id, channel },
      shape,
      deadline,
    );
    const parts = answers.flatMap(([node_id, item]) => (item === null ? [] : [{ node_id, item }]));
    const [first, ...others] = parts;
    if (first === undefined) return { item: null, ...coverage(missing) };
    const item = others.reduce((sum, one) => combineChannels(sum, one.item), first.item);
    const nodes = parts.map(({ node_id, item: { subscription_count } }) => ({ node_id, subscription_count }));
    return { item: { ...item, nodes }, ...coverage(missing) };
  }

  /** Members of a presence channel in order of user ids. */
  async members(
    { app_id, channel }: ChannelQuery,
    { limit, after, deadlineMs }: PageRequest<NamePosition>,
  ): Promise<FleetPage<MemberItem, NamePosition>> {
    const body = { app_id, channel, after: after?.name ?? null, limit };
    const gathered = await this.#gatherer.gather('manage_members', body, MEMBERS_ANSWER, { deadlineMs });
    const missing = union(after?.missing, gathered.missing);
    const pages = gathered.answers.filter(([nodeId]) => !missing.includes(nodeId)).map(([, page]) => page);
    const merged = mergeByKey(pages, limit, ({ user_id }) => user_id, combineMembers);
    const total = after === null ? { total: Math.max(0, ...pages.map((page) => page.total)) } : {};
    return { ...named(merged, ({ user_id }) => user_id, missing), ...total, ...coverage(missing) };
  }

  /** Closes connections. Gateways act before they answer. */
  async disconnect(request: Disconnect, deadline: Deadline): Promise<Coverage & { readonly closed: number }> {
    const body: Json = { ...request };
    const { answers, missing } = await this.#gatherer.gather(
      'manage_disconnect',
      body,
      CLOSED_ANSWER,
      deadline,
    );
    return { closed: answers.reduce((sum, [, { closed }]) => sum + closed, 0), ...coverage(missing) };
  }

  /** Takes every connection of a user out of a channel. */
  async removeUser(
    { app_id, channel, user_id }: ChannelQuery & { readonly user_id: string },
    deadline: Deadline,
  ): Promise<Coverage & { readonly removed: number }> {
    const body = { app_id, channel, user_id };
    const { answers, missing } = await this.#gatherer.gather(
      'manage_remove_user',
      body,
      REMOVED_ANSWER,
      deadline,
    );
    return { removed: answers.reduce((sum, [, { removed }]) => sum + removed, 0), ...coverage(missing) };
  }
}

const coverage = (missing: readonly string[]): Coverage => ({
  partial: missing.length > 0,
  missing_nodes: missing,
});

const union = (one: readonly string[] | undefined, other: readonly string[]): readonly string[] =>
  [...new Set([...(one ?? []), ...other])].toSorted();

interface Page<Item> {
  readonly items: readonly Item[];
  readonly more: boolean;
}

function named<Item>(
  { items, more }: Page<Item>,
  nameOf: (item: Item) => string,
  missing: readonly string[],
): { readonly items: readonly Item[]; readonly next: NamePosition | null } {
  const last = items.at(-1);
  const next =
    more && last !== undefined ? { name: nameOf(last), missing: missing.slice(0, MAX_MISSING) } : null;
  return { items, next };
}
