import { createHash } from 'node:crypto';
import { metaBase } from '@carillon/channels';
import type { Infer, Json } from '@carillon/contracts';
import type { AppHub, Hub, LocalChannel } from '@carillon/realtime';
import type { Member, Presence } from '@carillon/presence';
import type { CHANNEL_REQUEST, CHANNELS_REQUEST, MEMBERS_REQUEST } from './requests.js';
import { Slices } from './slices.js';

/** Bytes of a name's hash in the set that counts distinct channels over all nodes. */
const HASH_BYTES = 6;
/** Channels of one app on one node that are counted; beyond, the total is unknown. */
const MAX_COUNTED = 200_000;
const KEPT_PAGES = 4;

interface Found {
  readonly names: readonly string[];
  /** Base64 of the hashes of all names; null: too many. */
  readonly hashes: string | null;
}

/** Lists channels and members as this node knows them. */
export class LocalChannels {
  constructor(
    private readonly hub: Pick<Hub, 'hubs'>,
    private readonly presence: Pick<Presence, 'memberCounts' | 'members'>,
  ) {}

  /** One page in order of names; the first one carries the hashes of all names. */
  async page(request: Infer<typeof CHANNELS_REQUEST>): Promise<Json> {
    const { app_id: appId, limit, after } = request;
    const hub = this.hub.hubs.find(appId);
    if (hub === null) return { items: [], more: false, hashes: '' };
    const { names, hashes } = await this.#find(hub, request);
    const page = names.slice(0, limit);
    const isFirst = after === null || after === undefined;
    return {
      items: await this.#items(hub, page),
      more: names.length > limit,
      ...(isFirst ? { hashes } : {}),
    };
  }

  /** Null if the channel has no subscriber on this node. */
  async one({ app_id: appId, channel: name }: Infer<typeof CHANNEL_REQUEST>): Promise<Json> {
    const hub = this.hub.hubs.find(appId);
    const count = hub?.channels.get(name)?.count ?? 0;
    if (hub === null || count === 0) return null;
    const [item = null] = await this.#items(hub, [name]);
    return item;
  }

  /** Members by user id, from the shared store, with their connections on this node. */
  async members(request: Infer<typeof MEMBERS_REQUEST>): Promise<Json> {
    const { app_id: appId, channel, after, limit } = request;
    const counts = await connectionsOfMembers(this.hub.hubs.find(appId)?.channels.get(channel));
    const all = await this.presence.members({ appId, channel });
    const later = all
      .filter(({ userId }) => after === null || after === undefined || userId > after)
      .toSorted((one, other) => (one.userId < other.userId ? -1 : 1));
    return {
      items: later.slice(0, limit).map((member) => memberItem(member, counts)),
      more: later.length > limit,
      total: all.length,
    };
  }

  async #find(hub: AppHub, request: Infer<typeof CHANNELS_REQUEST>): Promise<Found> {
    const { prefix, after, limit } = request;
    const slices = new Slices();
    const isFirst = after === null || after === undefined;
    const hashes: Buffer[] = [];
    let names: string[] = [];
    for (const [name, { count }] of hub.channels) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      if (count === 0 || !name.startsWith(prefix)) continue;
      if (isFirst && hashes.length <= MAX_COUNTED) hashes.push(hashOf(name));
      if (!isFirst && name <= after) continue;
      names.push(name);
      if (names.length > (limit + 1) * KEPT_PAGES) names = names.toSorted().slice(0, limit + 1);
    }
    return {
      names: names.toSorted().slice(0, limit + 1),
      hashes: hashes.length > MAX_COUNTED ? null : Buffer.concat(hashes).toString('base64'),
    };
  }

  async #items(hub: AppHub, names: readonly string[]): Promise<readonly Json[]> {
    const local = names.flatMap((name) => hub.channels.get(name) ?? []);
    const presence = local.filter(({ about }) => about.traits.members);
    const counts =
      presence.length === 0
        ? []
        : await this.presence.memberCounts(
            hub.appId,
            presence.map(({ name }) => name),
          );
    const users = new Map(presence.map(({ name }, at) => [name, counts[at] ?? 0]));
    return local.map(({ name, about, count }) => ({
      channel: name,
      type: metaBase(name) === null ? about.kind : 'meta',
      subscription_count: count,
      user_count: users.get(name) ?? null,
    }));
  }
}

const hashOf = (name: string): Buffer => createHash('sha256').update(name).digest().subarray(0, HASH_BYTES);

/** Connections on this node by member. */
async function connectionsOfMembers(channel: LocalChannel | undefined): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  if (channel === undefined) return counts;
  const slices = new Slices();
  const seen = new Set();
  for (const { subscribers } of channel.audiences) {
    for (const subscriber of subscribers) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      const subscription = subscriber.subscriptionOf(channel);
      if (subscription === undefined || seen.has(subscriber)) continue;
      seen.add(subscriber);
      for (const userId of subscriber.memberIds(subscription))
        counts.set(userId, (counts.get(userId) ?? 0) + 1);
    }
  }
  return counts;
}

function memberItem({ userId, userInfoText }: Member, counts: ReadonlyMap<string, number>): Json {
  return { user_id: userId, connections: counts.get(userId) ?? 0, user_info: parsed(userInfoText) };
}

/** Text that is no JSON is shown as it is. */
function parsed(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return text;
  }
}
