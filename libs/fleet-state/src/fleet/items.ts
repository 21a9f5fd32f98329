/** One connection, as gateways and the API describe it. */
export interface ConnectionItem {
  readonly socket_id: string;
  readonly app_id: string;
  readonly node_id: string;
  readonly protocol: 'ably' | 'v1' | 'v2';
  readonly format: string;
  readonly transport: 'websocket';
  /** Signed-in user id or client id; null: neither. */
  readonly user_id: string | null;
  /** Null: unknown. */
  readonly address: string | null;
  /** Null: the client gave none. */
  readonly client: string | null;
  readonly connected_at_ms: number;
  /** Null: nothing was received yet. */
  readonly last_received_at_ms: number | null;
  readonly subscription_count: number;
  readonly buffered_bytes: number;
  readonly received_messages: number;
  readonly sent_messages: number;
}

export interface SubscriptionItem {
  readonly channel: string;
  /** Null: not recorded, because `management.enabled` is false on the gateway. */
  readonly subscribed_at_ms: number | null;
  /** Null: not a member. */
  readonly presence_user_id: string | null;
  readonly filtered: boolean;
}

export interface ConnectionDetails extends ConnectionItem {
  /** At most 1,000. */
  readonly subscriptions: readonly SubscriptionItem[];
  readonly subscriptions_truncated: boolean;
  /** Null: no token, or it does not expire. */
  readonly token_expires_at_ms: number | null;
}

export interface ChannelItem {
  readonly channel: string;
  readonly type: string;
  readonly subscription_count: number;
  /** Null outside presence. */
  readonly user_count: number | null;
}

export interface MemberItem {
  readonly user_id: string;
  readonly connections: number;
  readonly user_info: unknown;
}

/** Filters of connections, combined by AND. Absent: not filtered by it. */
export interface ConnectionFilter {
  /** Apps whose connections are visible; null: all. */
  readonly app_ids: readonly string[] | null;
  readonly user_id?: string;
  readonly channel?: string;
  /** Exact address or CIDR range. */
  readonly address?: string;
  readonly protocol?: 'ably' | 'v1' | 'v2';
  readonly node_id?: string;
}

/** Members common to every answer of the fleet. */
export interface Coverage {
  /** True exactly if `missing_nodes` is not empty. */
  readonly partial: boolean;
  readonly missing_nodes: readonly string[];
}

/** One page of a list of the fleet. */
export interface FleetPage<Item, Position> extends Coverage {
  readonly items: readonly Item[];
  /** Null: this is the last page. */
  readonly next: Position | null;
  /** On the first page only; null: too many to count. */
  readonly total?: number | null;
}
