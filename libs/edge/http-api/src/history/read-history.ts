import { readHistoryQuery } from '@carillon/history';
import { queryText } from '../describe/parameter.js';
import type { Route } from '../describe/route.js';
import { object, text, type ValueOf } from '../describe/shape.js';
import type { Call, Endpoint, Reply } from '../pipeline/call.js';
import { durableChannel, type HistoryParts } from './durable-channel.js';
import { PAGE, STREAM } from './shapes.js';

const SERIAL = 'Inclusive, a serial of the history.';
const TIME = 'Inclusive, Unix time in milliseconds.';

/** What a page is asked for by. */
export const PAGE_QUERY = [
  queryText('limit', 'At least 1; the largest page when absent or larger.'),
  queryText(
    'direction',
    '`newest_first` (also `backwards`, `reverse`) or `oldest_first` (`forwards`, `forward`).',
  ),
  queryText('cursor', '`next_cursor` of the page before, with the same direction and bounds.'),
  queryText('start_serial', SERIAL),
  queryText('end_serial', SERIAL),
  queryText('start_time_ms', TIME),
  queryText('end_time_ms', TIME),
  queryText('start', 'The same as `start_time_ms`, which wins.'),
  queryText('end', 'The same as `end_time_ms`, which wins.'),
] as const;

/** The parameters of a page as they were sent. */
export const pageParameters = (call: Call): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(PAGE_QUERY.map((parameter) => [parameter.name, call.parameter(parameter)]));

export const READ_HISTORY: Route = {
  method: 'GET',
  path: '/channels/:channelName/history',
  tag: 'history',
  summary: 'A page of what was published to a channel',
  description:
    'Whole or not at all: a history that is not healthy is refused. Whatever was answered before this was asked is in it.',
  rate: 'read',
  parameters: PAGE_QUERY,
  reply: PAGE,
  errors: ['feature_disabled'],
};

/** `GET /apps/{appId}/channels/{channelName}/history`. */
export class ReadHistoryEndpoint implements Endpoint {
  constructor(private readonly parts: HistoryParts) {}

  async answer(call: Call): Promise<Reply> {
    const { channel, reader } = durableChannel(call, this.parts);
    const query = readHistoryQuery(pageParameters(call), this.parts.maxPageSize);
    const body: ValueOf<typeof PAGE> = await reader.page(call.app.id, channel.name, query);
    return { text: JSON.stringify(body) };
  }
}

const STATE = object({ channel: text('As asked.'), stream: STREAM });

export const HISTORY_STATE: Route = {
  method: 'GET',
  path: '/channels/:channelName/history/state',
  tag: 'history',
  summary: 'State of the history of a channel',
  description: 'Answers in every state of the history.',
  rate: 'read',
  reply: STATE,
  errors: ['feature_disabled'],
};

/** `GET /apps/{appId}/channels/{channelName}/history/state`. */
export class HistoryStateEndpoint implements Endpoint {
  constructor(private readonly parts: HistoryParts) {}

  async answer(call: Call): Promise<Reply> {
    const { channel, reader } = durableChannel(call, this.parts);
    const stream = await reader.state(call.app.id, channel.name);
    const body: ValueOf<typeof STATE> = { channel: channel.name, stream };
    return { text: JSON.stringify(body) };
  }
}
