import { describe, expect, it } from 'vitest';
import type { Attachment } from '../src/connection.js';
import { MODES, scene } from './attaching.js';

describe('an attach', () => {
  it('that takes too long is given up, and nothing of it is left (case 37)', async () => {
    const { handle, said, left, requests, goOn, connection } = scene();
    await handle();
    expect(said).toEqual([
      { action: 13, channel: 'c', error: expect.objectContaining({ code: 50_003, statusCode: 500 }) },
    ]);
    expect(left).toHaveLength(1);
    expect(requests[0]?.isWanted?.()).toBe(false);
    goOn[0]?.();
    await new Promise((later) => setImmediate(later));
    expect(said).toHaveLength(1);
    expect(connection.attachments.size).toBe(0);
  });

  it('that takes its time is done', async () => {
    const { handle, said, left, goOn, connection } = scene();
    const done = handle();
    goOn[0]?.();
    await done;
    expect(said).toEqual([{ action: 11, channel: 'c', channelSerial: 's:1', flags: MODES }]);
    expect(connection.attachments.get('c')).toMatchObject({ modes: MODES });
    expect(left).toEqual([]);
  });

  it('of one channel more than a connection may have is refused, and those stay (23)', async () => {
    const { handle, said, requests, connection } = scene();
    for (let number = 0; number < 200; number += 1)
      connection.attachments.set(`channel ${number}`, {} as Attachment);
    await handle();
    expect(said).toEqual([
      { action: 9, channel: 'c', error: expect.objectContaining({ code: 90_010, statusCode: 400 }) },
    ]);
    expect(requests).toEqual([]);
    expect(connection.attachments.size).toBe(200);
  });

  it('is repeated without going on where it was, when something of the channel was lost', async () => {
    const { again, said, goOn, connection } = scene();
    await again();
    expect(said).toEqual([]);
    const before = {
      text: '[?rewind=3]history',
      base: 'history',
      asked: 786_432,
      modes: 786_432,
      params: { rewind: '3' },
      filter: null,
      echoes: null,
      rewound: '{"count":3,"sinceMs":null}',
      wish: '[{"rewind":"3"},786432]',
    };
    connection.attachments.set(before.text, before);
    const done = again();
    goOn[0]?.();
    await done;
    expect(said).toEqual([
      {
        action: 11,
        channel: before.text,
        channelSerial: 's:7',
        flags: 786_433,
        params: before.params,
        error: expect.objectContaining({ code: 90_003, statusCode: 404 }),
      },
      'synced',
    ]);
    expect(connection.attachments.get(before.text)).toEqual(before);
  });
});
