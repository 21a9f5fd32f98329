import { expect, it } from 'vitest';
import { newStream } from '../src/model/stream.js';
import { RememberedStreams } from '../src/postgres/remembered-streams.js';
import { addressOf, NOW_MS } from './scene.js';

const streamOf = (channel: string, nextDeliverySerial = 1) => ({
  ...newStream(addressOf(channel), `key of ${channel}`, channel, NOW_MS),
  nextDeliverySerial,
});

it('gives out what was written last, once', () => {
  const remembered = new RememberedStreams();
  remembered.keep([streamOf('a'), streamOf('b')], '7');
  remembered.keep([streamOf('a', 5)], '8');
  expect(remembered.take([addressOf('b'), addressOf('a')])).toEqual([
    { stream: streamOf('b'), writtenBy: '7' },
    { stream: streamOf('a', 5), writtenBy: '8' },
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
