import { readHistoryQuery } from '@carillon/history-reader';
import { describe } from '../describe/description.js';
import { aliasOption, integerOption, textOption } from '../describe/option.js';
import { object, text } from '../describe/shape.js';
import type { Work } from '../operation.js';
import { durableChannel, type HistoryParts } from './durable-channel.js';
import { PAGE, STREAM } from './shapes.js';

const SERIAL = 'Inclusive, a serial of the history.';
const TIME = 'Inclusive, Unix time in milliseconds.';

/** Options of a page. */
export const PAGE_OPTIONS = [
  integerOption('limit', 'At least 1; the largest page when absent or larger.'),
  textOption(
    'direction',
    '`newest_first` (also `backwards`, `reverse`) or `oldest_first` (`forwards`, `forward`).',
  ),
  textOption('cursor', '`next_cursor` of the page before, with the same direction and bounds.'),
  integerOption('start_serial', SERIAL),
  integerOption('end_serial', SERIAL),
  integerOption('start_time_ms', TIME),
  integerOption('end_time_ms', TIME),
  aliasOption('start', 'The same as `start_time_ms`, which wins.'),
  aliasOption('end', 'The same as `end_time_ms`, which wins.'),
] as const;

export const READ_HISTORY = describe({
  area: 'history',
  summary: 'A page of what was published to a channel',
  description:
    'Whole or not at all: a history that is not healthy is refused. Whatever was answered before this was asked is in it.',
  rate: 'read',
  subjects: ['channel'],
  options: PAGE_OPTIONS,
  result: PAGE,
  errors: ['feature_disabled'],
});

export const readHistory =
  (parts: HistoryParts): Work<typeof READ_HISTORY> =>
  async (caller, { channel: name, ...page }) => {
    const { channel, reader } = durableChannel(caller, 'history', name, parts);
    const query = readHistoryQuery(page, parts.maxPageSize);
    return { value: await reader.page(caller.app.id, channel.name, query) };
  };

export const HISTORY_STATE = describe({
  area: 'history',
  summary: 'State of the history of a channel',
  description: 'Answers in every state of the history.',
  rate: 'read',
  subjects: ['channel'],
  result: object({ channel: text('As asked.'), stream: STREAM }),
  errors: ['feature_disabled'],
});

export const historyState =
  (parts: HistoryParts): Work<typeof HISTORY_STATE> =>
  async (caller, { channel: name }) => {
    const { channel, reader } = durableChannel(caller, 'history', name, parts);
    return { value: { channel: channel.name, stream: await reader.state(caller.app.id, channel.name) } };
  };
