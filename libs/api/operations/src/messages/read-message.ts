import { ServiceError } from '@carillon/errors';
import { describe } from '../describe/description.js';
import { integerOption, textOption } from '../describe/option.js';
import { anything, count, flag, listOf, object, oneOf, text } from '../describe/shape.js';
import type { Caller } from '../caller.js';
import type { Work } from '../operation.js';
import { livingChannel, type MessageParts, noMessage, readLimit, readSerial } from './parts.js';

/** A version of a message. */
const ITEM = anything(
  'A version: `event`, `channel`, `name`, `user_id` of its creator, `data`, `extras`, `serial`, `action`, `message_serial`, `history_serial`, ' +
    '`delivery_serial` and `version` with its `serial`, `timestamp_ms`, `client_id`, `description` and `metadata`.',
);

export const READ_MESSAGE = describe({
  area: 'messages',
  summary: 'A message in its latest version',
  description: 'With all that was appended to it. A deleted message is told of as such.',
  rate: 'read',
  subjects: ['channel', 'message_serial'],
  result: object({ channel: text('As asked.'), item: ITEM }),
  errors: ['feature_disabled', 'mutable_not_permitted', 'not_found'],
});

export const readMessage =
  (parts: MessageParts): Work<typeof READ_MESSAGE> =>
  async (caller, { channel: name, message_serial }) => {
    const { channel, reader } = livingChannel(caller, 'history', name, parts);
    const messageSerial = readSerial(message_serial, 'message_serial');
    const item = await reader.latest({ appId: caller.app.id, channel: channel.name, messageSerial });
    countRead(parts, caller, 'message', item !== null);
    if (item === null) throw noMessage();
    return { value: { channel: channel.name, item } };
  };

export const LIST_VERSIONS = describe({
  area: 'messages',
  summary: 'Versions of a message',
  description: 'Each as it was made; of an append, only what was appended.',
  rate: 'read',
  subjects: ['channel', 'message_serial'],
  options: [
    integerOption('limit', 'At least 1; the largest page when absent or larger.'),
    textOption('direction', '`newest_first` or `oldest_first`.'),
    textOption('cursor', 'The version serial to begin behind: `next_cursor` of the page before.'),
  ],
  result: object(
    {
      channel: text('As asked.'),
      direction: oneOf(['newest_first', 'oldest_first'], 'As asked.'),
      limit: count('As asked, and at most `versioned_messages.max_page_size`.'),
      has_more: flag('At least one more follows.'),
      items: listOf(ITEM, 'In the order asked for.'),
    },
    { next_cursor: text('What to ask the next page with; absent on the last.') },
  ),
  errors: ['feature_disabled', 'mutable_not_permitted', 'not_found'],
});

export const listVersions =
  (parts: MessageParts): Work<typeof LIST_VERSIONS> =>
  async (caller, { channel: name, message_serial, limit: length, direction = 'newest_first', cursor }) => {
    const { channel, reader } = livingChannel(caller, 'history', name, parts);
    const messageSerial = readSerial(message_serial, 'message_serial');
    const limit = readLimit(length, parts.config.versioned_messages.max_page_size);
    if (direction !== 'newest_first' && direction !== 'oldest_first')
      throw new ServiceError('invalid_input', { text: 'direction must be newest_first or oldest_first' });
    const listed = await reader.versions(
      { appId: caller.app.id, channel: channel.name, messageSerial },
      {
        limit,
        newestFirst: direction === 'newest_first',
        after: cursor === undefined ? null : readSerial(cursor, 'cursor'),
      },
    );
    countRead(parts, caller, 'versions', listed !== null);
    if (listed === null) throw noMessage();
    const { items, hasMore, last } = listed;
    return {
      value: {
        channel: channel.name,
        direction,
        limit,
        has_more: hasMore,
        items,
        ...(hasMore && last !== null ? { next_cursor: last } : {}),
      },
    };
  };

function countRead({ metrics }: MessageParts, { app }: Caller, surface: string, isFound: boolean): void {
  const result = isFound ? 'found' : 'not_found';
  metrics.counter('versioned_message_retrieval_total').for({ app_id: app.id, surface, result }).add();
}
