import type { App } from '@carillon/app-registry';
import { ServiceError } from '@carillon/errors';
import { appIdOf, type Call } from '../http/call.js';
import { invalidField } from '../http/fields.js';
import { Cursors, pageBody, type PageQuery } from '../http/paging.js';
import { ok, type Reply } from '../http/reply.js';
import type { ManagementParts } from '../parts.js';
import { appOf, deadlineOf, type DeadlineQuery, isNamePosition, notFound, positionOf } from './common.js';

export interface ChannelsQuery extends PageQuery, DeadlineQuery {
  readonly prefix?: string;
}

export async function listChannels(call: Call<ChannelsQuery>, parts: ManagementParts): Promise<Reply> {
  const { id: app_id } = await appOf(call, parts);
  const { limit, cursor, prefix = '' } = call.query;
  const cursors = new Cursors(`channels ${app_id}`, { prefix });
  const after = positionOf(cursors.read(cursor), isNamePosition);
  const request = { limit, after, ...deadlineOf(call, parts) };
  const { items, next, ...rest } = await parts.fleet.state.channels({ app_id, prefix }, request);
  return ok({ ...pageBody(items, next, cursors), ...rest });
}

export async function showChannel(call: Call<DeadlineQuery>, parts: ManagementParts): Promise<Reply> {
  const app = await appOf(call, parts);
  const channel = channelOf(call);
  const [facts, found] = await Promise.all([
    factsOf(app, channel, parts),
    parts.fleet.state.channel({ app_id: appIdOf(call), channel }, deadlineOf(call, parts)),
  ]);
  const { item, ...coverage } = found;
  if (item === null && coverage.partial) throw notFound('', coverage);
  const { type, durable, has_members, cache } = facts;
  const unoccupied = { channel, type, subscription_count: 0, user_count: has_members ? 0 : null, nodes: [] };
  const occupied = item !== null;
  const cached = cache === undefined ? {} : { cache };
  return ok({ ...(item ?? unoccupied), occupied, durable, ...cached, ...coverage });
}

export async function listMembers(
  call: Call<DeadlineQuery & PageQuery>,
  parts: ManagementParts,
): Promise<Reply> {
  const app = await appOf(call, parts);
  const channel = channelOf(call);
  const { has_members: hasMembers } = await factsOf(app, channel, parts);
  if (!hasMembers) throw invalidField('channel', 'must be a presence channel');
  const { limit, cursor } = call.query;
  const cursors = new Cursors(`members ${JSON.stringify([app.id, channel])}`, {});
  const after = positionOf(cursors.read(cursor), isNamePosition);
  const request = { limit, after, ...deadlineOf(call, parts) };
  const { items, next, ...rest } = await parts.fleet.state.members({ app_id: app.id, channel }, request);
  return ok({ ...pageBody(items, next, cursors), ...rest });
}

export const channelOf = ({ params }: Pick<Call, 'params'>): string => params['channel'] ?? '';

/** @throws ServiceError `invalid_input` if the name is invalid, `service_unavailable` if the cache is. */
async function factsOf(app: App, channel: string, { fleet }: ManagementParts) {
  const facts = await fleet.channelFacts.read(app, channel).catch((cause: unknown) => {
    throw new ServiceError('service_unavailable', { text: 'the cache is unavailable', cause });
  });
  if (facts === null) throw invalidField('channel', 'is not a valid channel name');
  return facts;
}
