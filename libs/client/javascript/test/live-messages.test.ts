import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { messageOf } from '../src/channel/message.js';
import { fold, type LiveMessage } from '../src/messages/fold.js';
import { numbered, settled, subscribed, World } from './harness/world.js';

/** One version of one message as it comes over the connection. */
const frameOf = (serial: number, version: number, action: string, data: string) => ({
  event: action === 'create' ? 'said' : `service:message.${action}`,
  channel: 'chat',
  name: 'said',
  data,
  extras: {
    headers: {
      service_action: `message.${action}`,
      service_message_serial: `s${serial}`,
      service_version_serial: `v${String(version).padStart(4, '0')}`,
      service_history_serial: serial,
    },
  },
});

const version = (number: number, action: string, data: string, wholeAppends = false) =>
  messageOf(frameOf(1, number, action, data), 'service', wholeAppends);

describe('a message that changes', () => {
  it('is the sum of its versions, whichever of them come again', () => {
    const changes = fc.array(fc.tuple(fc.constantFrom('append', 'update', 'delete'), fc.string()), {
      maxLength: 12,
    });
    fc.assert(
      fc.property(changes, fc.array(fc.nat(20)), (changes, repeated) => {
        const versions = [
          version(0, 'create', 'x'),
          ...changes.map(([action, data], at) => version(at + 1, action, data)),
        ];
        let expected = 'x';
        for (const [action, data] of changes) expected = action === 'append' ? expected + data : data;
        let known: LiveMessage | undefined;
        versions.forEach((one, at) => {
          // Versions that were already applied may arrive again at any time.
          for (const again of [at, ...repeated.map((back) => at - back)]) {
            const message = again === at ? one : versions[again];
            const folded = message === undefined ? 'stale' : fold(known, message);
            if (typeof folded !== 'string') known = folded;
          }
        });
        expect(known?.raw).toBe(expected);
        expect(known?.isDeleted).toBe(
          changes.reduce((was, [action]) => (action === 'append' ? was : action === 'delete'), false),
        );
      }),
    );
  });

  it('is not told twice what several appends in one bring in part', () => {
    const created = { ...frameOf(1, 1, 'update', 'abc'), stream_id: 'a', serial: 5 };
    const known = fold(undefined, messageOf(created, 'service'));
    const rolled = (data: string, from: number): unknown => {
      const frame = frameOf(1, 9, 'append', data);
      const headers = { ...frame.extras.headers, service_rollup_from_serial: from };
      const message = messageOf({ ...frame, serial: 9, extras: { headers } }, 'service');
      const folded = typeof known === 'string' ? known : fold(known, message);
      return typeof folded === 'string' ? folded : [folded.raw, folded.reached];
    };
    expect(rolled('def', 6)).toEqual(['abcdef', 9]);
    expect(rolled('abcdef', 4)).toEqual(['abcdef', 9]);
    expect(rolled('cdef', 4)).toBe('baseless');
  });

  it('is not made of a piece of it, unless the piece is all', () => {
    expect(fold(undefined, version(2, 'append', ' world'))).toBe('baseless');
    expect(fold(undefined, version(2, 'append', 'hello world', true))).toMatchObject({ raw: 'hello world' });
  });
});

const item = (serial: number) => ({
  serial,
  published_at_ms: 1,
  message: { event: 'said', data: `${serial}`, message_id: `m-${serial}`, serial },
});

describe('the messages of a channel', () => {
  it('are kept up to date, in order, with what is said of them, and not too many', async () => {
    const world = new World();
    await world.connect();
    const live = world.client.subscribe('chat').live({ limit: 2 });
    await settled();
    world.socket.says(subscribed('chat'));
    const summary = { 'reactions:total.v1': { total: 3 } };
    const data = { action: 'message.summary', serial: 's2', annotations: { summary } };
    world.socket.says({ event: 'service_internal:message', channel: 'chat', data });
    world.socket.says(frameOf(2, 5, 'create', 'second'));
    world.socket.says(frameOf(1, 1, 'update', 'first'));
    expect(live.list.map(({ raw, summary }) => [raw, summary])).toEqual([
      ['first', {}],
      ['second', summary],
    ]);
    world.socket.says(frameOf(3, 9, 'create', 'third'));
    world.socket.says(frameOf(2, 10, 'append', '!'));
    expect(live.list.map(({ raw }) => raw)).toEqual(['second!', 'third']);
    live.close();
    world.socket.says(frameOf(3, 11, 'append', '!'));
    expect(live.list.map(({ raw }) => raw)).toEqual(['second!', 'third']);
  });

  it('are read again when some may be missing', async () => {
    const world = new World();
    await world.connect();
    const live = world.client.subscribe('chat').live();
    await settled();
    world.socket.says(subscribed('chat', {}, { stream_id: 'a', serial: 1 }));
    world.socket.taken();
    world.socket.says(numbered('chat', 1, 'said', 'b'));
    await settled();
    expect(world.socket.taken()).toEqual([
      { event: 'service:channel_history', data: { channel: 'chat', limit: 500 } },
    ]);
    const reply = { items: [item(3), item(2)], has_more: false, next_cursor: null };
    world.socket.says({ event: 'service:channel_history', channel: 'chat', data: reply });
    await settled();
    expect(live.list.map(({ position }) => position)).toEqual([1, 2, 3]);
  });

  it('of which the beginning is asked for lose nothing that comes meanwhile, and are asked for once', async () => {
    const answers: ((answer: unknown) => void)[] = [];
    const world = new World({ api: () => new Promise((answer) => answers.push(answer)) });
    await world.connect();
    const live = world.client.subscribe('chat').live();
    await settled();
    world.socket.says(subscribed('chat'));
    for (const [at, text] of ['b', 'c', 'd'].entries()) world.socket.says(frameOf(1, at + 2, 'append', text));
    expect(answers).toHaveLength(1);
    const version = { serial: 'v0003', timestamp_ms: 1 };
    const item = {
      event: 'service:message.append',
      data: 'abc',
      action: 'append',
      message_serial: 's1',
      version,
    };
    answers[0]?.({ item });
    await settled();
    world.socket.says(frameOf(1, 5, 'append', 'e'));
    expect(live.get('s1')?.raw).toBe('abcde');
  });

  it('of which the beginning is not known are asked for', async () => {
    const asked: unknown[] = [];
    const world = new World({
      api: async (request) => {
        asked.push(request);
        return {
          item: {
            event: 'service:message.append',
            name: 'said',
            data: 'hello world',
            action: 'append',
            message_serial: 's1',
            history_serial: 1,
            version: { serial: 'v0003', timestamp_ms: 1 },
          },
        };
      },
    });
    await world.connect();
    const live = world.client.subscribe('chat').live();
    await settled();
    world.socket.says(subscribed('chat'));
    world.socket.says(frameOf(1, 2, 'append', ' wor'));
    await settled();
    expect(asked).toEqual([{ method: 'GET', path: '/channels/chat/messages/s1' }]);
    expect(live.get('s1')?.raw).toBe('hello world');
  });
});
