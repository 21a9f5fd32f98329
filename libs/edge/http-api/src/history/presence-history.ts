import { readHistoryQuery, readSnapshotQuery } from '@carillon/history';
import { queryText } from '../describe/parameter.js';
import type { Route } from '../describe/route.js';
import { object, text, type ValueOf } from '../describe/shape.js';
import type { Call, Endpoint, Reply } from '../pipeline/call.js';
import { type HistoryParts, presenceChannel } from './durable-channel.js';
import { PRESENCE_PAGE, PRESENCE_STREAM, SNAPSHOT } from './presence-shapes.js';
import { PAGE_QUERY, pageParameters } from './read-history.js';

const PATH = '/channels/:channelName/presence/history';

export const READ_PRESENCE_HISTORY: Route = {
  method: 'GET',
  path: PATH,
  tag: 'history',
  summary: 'A page of who came to a presence channel and went',
  description:
    'One event for each coming, going and change of a user, however many sockets. A history that is not healthy is shown all the same, and says so.',
  rate: 'read',
  parameters: PAGE_QUERY,
  reply: PRESENCE_PAGE,
  errors: ['feature_disabled'],
};

/** `GET /apps/{appId}/channels/{channelName}/presence/history`. */
export class ReadPresenceHistoryEndpoint implements Endpoint {
  constructor(private readonly parts: HistoryParts) {}

  async answer(call: Call): Promise<Reply> {
    const { channel, presence } = presenceChannel(call, this.parts);
    const query = readHistoryQuery(pageParameters(call), this.parts.maxPresencePageSize);
    const body: ValueOf<typeof PRESENCE_PAGE> = await presence.page(call.app.id, channel.name, query);
    return { text: JSON.stringify(body) };
  }
}

const STATE = object({ channel: text('As asked.'), stream: PRESENCE_STREAM });

export const PRESENCE_HISTORY_STATE: Route = {
  method: 'GET',
  path: `${PATH}/state`,
  tag: 'history',
  summary: 'State of the presence history of a channel',
  description: 'Answers in every state of it.',
  rate: 'read',
  reply: STATE,
  errors: ['feature_disabled'],
};

/** `GET /apps/{appId}/channels/{channelName}/presence/history/state`. */
export class PresenceHistoryStateEndpoint implements Endpoint {
  constructor(private readonly parts: HistoryParts) {}

  async answer(call: Call): Promise<Reply> {
    const { channel, presence } = presenceChannel(call, this.parts);
    const stream = await presence.state(call.app.id, channel.name);
    const body: ValueOf<typeof STATE> = { channel: channel.name, stream };
    return { text: JSON.stringify(body) };
  }
}

const MOMENT = [
  queryText('at_serial', 'Inclusive, a serial of the presence history.'),
  queryText('at_time_ms', 'Inclusive, Unix time in milliseconds.'),
  queryText('at', 'The same as `at_time_ms`, which wins.'),
] as const;

export const PRESENCE_SNAPSHOT: Route = {
  method: 'GET',
  path: `${PATH}/snapshot`,
  tag: 'history',
  summary: 'Who was in a presence channel at a moment',
  description:
    'Replayed from what is retained; without a moment, as of now. Events that contradict each other are a conflict.',
  rate: 'read',
  parameters: MOMENT,
  reply: SNAPSHOT,
  errors: ['feature_disabled', 'conflict'],
};

/** `GET /apps/{appId}/channels/{channelName}/presence/history/snapshot`. */
export class PresenceSnapshotEndpoint implements Endpoint {
  constructor(private readonly parts: HistoryParts) {}

  async answer(call: Call): Promise<Reply> {
    const { channel, presence } = presenceChannel(call, this.parts);
    const moment = readSnapshotQuery(
      Object.fromEntries(MOMENT.map((parameter) => [parameter.name, call.parameter(parameter)])),
    );
    const body: ValueOf<typeof SNAPSHOT> = await presence.snapshot(call.app.id, channel.name, moment);
    return { text: JSON.stringify(body) };
  }
}
