import { expect, it } from 'vitest';
import { newStream } from '../src/model/stream.js';
import type { StoredMessage } from '../src/model/message.js';
import { RememberedMessages } from '../src/postgres/remembered-messages.js';
import { type RememberedStream, RememberedStreams } from '../src/postgres/remembered-streams.js';
import { addressOf, messageIn, NOW_MS } from './scene.js';

const streamOf = (channel: string, nextDeliverySerial = 1) => ({
  ...newStream(addressOf(channel), `key of ${channel}`, channel, NOW_MS),
  nextDeliverySerial,
});

it('gives out what was written last, once', () => {
  const remembered = new RememberedStreams();
  remembered.keep([streamOf('a'), streamOf('b')], '7');
  remembered.keep([streamOf('a', 5)], '8');
  expect(remembered.take([addressOf('b'), addressOf('a')])).toEqual([
    { stream: streamOf('b'), writtenBy: '7', spell: 1 },
    { stream: streamOf('a', 5), writtenBy: '8', spell: 2 },
  ]);
  expect(remembered.take([addressOf('a')])).toBeNull();
});

it('gives out all that is asked for or nothing', () => {
  const remembered = new RememberedStreams();
  remembered.keep([streamOf('a')], '7');
  expect(remembered.take([addressOf('a'), addressOf('b')])).toBeNull();
  expect(remembered.take([addressOf('a', 'presence')])).toBeNull();
  expect(remembered.take([addressOf('a')])).toHaveLength(1);
});

it('forgets what was written longest ago, and everything when it is told to', () => {
  const remembered = new RememberedStreams();
  const names = Array.from({ length: 20_001 }, (_, index) => `c-${index}`);
  remembered.keep(
    names.map((name) => streamOf(name)),
    '7',
  );
  expect(remembered.take([addressOf('c-0')])).toBeNull();
  expect(remembered.take([addressOf('c-10000'), addressOf('c-20000')])).toHaveLength(2);
  remembered.forget();
  expect(remembered.take([addressOf('c-10001')])).toBeNull();
});

it('gives out nothing twice, however many others are written meanwhile', () => {
  const remembered = new RememberedStreams();
  remembered.keep([streamOf('a')], '7');
  remembered.keep(
    Array.from({ length: 9_999 }, (_, index) => streamOf(`c-${index}`)),
    '8',
  );
  expect(remembered.take([addressOf('a')])).toHaveLength(1);
  expect(remembered.take([addressOf('a')])).toBeNull();
  remembered.keep(
    Array.from({ length: 10_000 }, (_, index) => streamOf(`d-${index}`)),
    '9',
  );
  expect(remembered.take([addressOf('a')])).toBeNull();
});

it('tells apart what was written without a break, which messages hold as long as', () => {
  const [remembered, messages] = [new RememberedStreams(), new RememberedMessages()];
  const message = (text: string, more: Partial<StoredMessage> = {}) =>
    messageIn(streamOf('a'), { data: { text }, ...more });
  const find = (streams: readonly RememberedStream[]) =>
    streams.map((stream) => messages.find(stream, 'm')?.name);
  messages.keep(remembered.keep([streamOf('a')], '7'), [message('1', { name: 'one' })]);
  const first = remembered.take([addressOf('a')]) ?? [];
  expect(find(first)).toEqual(['one']);
  expect(messages.find(first[0] as RememberedStream, 'm')?.data).toBeNull();
  expect(messages.find(first[0] as RememberedStream, 'other')).toBeUndefined();
  remembered.keep([streamOf('a')], '8', first);
  expect(find(remembered.take([addressOf('a')]) ?? [])).toEqual(['one']);
  // It was read again, so another process may have written it.
  const anew = remembered.keep([streamOf('a')], '9');
  expect(find(anew)).toEqual([undefined]);
  messages.keep(anew, [message('2', { name: 'two' })]);
  expect(find(anew)).toEqual(['two']);
  messages.keep(anew, [message('3', { name: 'long', extras: ' '.repeat(2000) })]);
  expect(find(anew)).toEqual([undefined]);
  messages.keep(anew, [message('4')]);
  messages.forget();
  expect(find(anew)).toEqual([undefined]);
});
