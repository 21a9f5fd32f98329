import { readHistoryQuery, readSnapshotQuery } from '@carillon/history-reader';
import { describe } from '../describe/description.js';
import { aliasOption, integerOption } from '../describe/option.js';
import { object, text } from '../describe/shape.js';
import type { Work } from '../operation.js';
import { type HistoryParts, presenceChannel } from './durable-channel.js';
import { PRESENCE_PAGE, PRESENCE_STREAM, SNAPSHOT } from './presence-shapes.js';
import { PAGE_OPTIONS } from './read-history.js';

export const READ_PRESENCE_HISTORY = describe({
  area: 'history',
  summary: 'A page of who came to a presence channel and went',
  description:
    'One event for each coming, going and change of a user, however many sockets. A history that is not healthy is shown all the same, and says so.',
  rate: 'read',
  subjects: ['channel'],
  options: PAGE_OPTIONS,
  result: PRESENCE_PAGE,
  errors: ['feature_disabled'],
});

export const readPresenceHistory =
  (parts: HistoryParts): Work<typeof READ_PRESENCE_HISTORY> =>
  async (caller, { channel: name, ...page }) => {
    const { channel, presence } = presenceChannel(caller, 'history', name, parts);
    const query = readHistoryQuery(page, parts.maxPresencePageSize);
    return { value: await presence.page(caller.app.id, channel.name, query) };
  };

export const PRESENCE_HISTORY_STATE = describe({
  area: 'history',
  summary: 'State of the presence history of a channel',
  description: 'Answers in every state of it.',
  rate: 'read',
  subjects: ['channel'],
  result: object({ channel: text('As asked.'), stream: PRESENCE_STREAM }),
  errors: ['feature_disabled'],
});

export const presenceHistoryState =
  (parts: HistoryParts): Work<typeof PRESENCE_HISTORY_STATE> =>
  async (caller, { channel: name }) => {
    const { channel, presence } = presenceChannel(caller, 'history', name, parts);
    return { value: { channel: channel.name, stream: await presence.state(caller.app.id, channel.name) } };
  };

export const PRESENCE_SNAPSHOT = describe({
  area: 'history',
  summary: 'Who was in a presence channel at a moment',
  description:
    'Replayed from what is retained; without a moment, as of now. Events that contradict each other are a conflict.',
  rate: 'read',
  subjects: ['channel'],
  options: [
    integerOption('at_serial', 'Inclusive, a serial of the presence history.'),
    integerOption('at_time_ms', 'Inclusive, Unix time in milliseconds.'),
    aliasOption('at', 'The same as `at_time_ms`, which wins.'),
  ],
  result: SNAPSHOT,
  errors: ['feature_disabled', 'conflict'],
});

export const presenceSnapshot =
  (parts: HistoryParts): Work<typeof PRESENCE_SNAPSHOT> =>
  async (caller, { channel: name, ...moment }) => {
    const { channel, presence } = presenceChannel(caller, 'history', name, parts);
    const query = readSnapshotQuery(moment);
    return { value: await presence.snapshot(caller.app.id, channel.name, query) };
  };
