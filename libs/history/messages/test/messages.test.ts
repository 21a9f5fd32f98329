import { readMessageV2 } from '@carillon/protocol';
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  foldVersions,
  frameOf,
  grantOf,
  isSerial,
  latestFrameOf,
  latestItem,
  mayChange,
  type Mutation,
  nextSerial,
  operationIdentity,
  versionItem,
} from '../src/index.js';
import { AI, append, Chain, NOW_MS, POLICY, remove, update } from './scene.js';

const ai = { policy: { ...POLICY, ai: AI } };
const streaming = (status: string) => JSON.stringify({ ai: { transport: { status } } });

const isBytes = (text: string | null): boolean =>
  readMessageV2(text ?? '', { action: 'update', isFromClient: false, mayBeDelta: true })?.isBytes === true;

describe('a message', () => {
  it('keeps what an update does not name, and replaces the rest whole', () => {
    const chain = new Chain({ data: 'a', extras: { headers: { x: 1 }, ref: 9 } });
    expect(chain.apply(update({ data: '{"b":[1.50]}' }))).toBeNull();
    expect(chain.message).toMatchObject({ name: 'note', data: { text: '{"b":[1.50]}' }, dataKind: 'json' });
    expect(chain.message.extras).toBe('{"headers":{"x":1},"ref":9}');
    expect(chain.apply(update({ extras: '{"y":1}', clear_fields: ['name'] }))).toBeNull();
    expect(chain.message).toMatchObject({ name: null, extras: '{"y":1}', data: { text: '{"b":[1.50]}' } });
  });

  it('grows by what is appended, also after it was deleted', () => {
    const chain = new Chain({ data: 'hello' });
    chain.apply(append(' wörld'));
    expect(chain.message).toMatchObject({ data: { text: '"hello wörld"' }, dataBytes: 12, appends: 1 });
    chain.apply(remove({ clear_fields: ['data'] }));
    expect(JSON.parse(latestItem('chat', chain.message))).not.toHaveProperty('data');
    chain.apply(append('x'));
    expect(JSON.parse(latestItem('chat', chain.message))).toMatchObject({ action: 'append', data: 'x' });
  });

  it('adds up to the texts of all appends, whatever they hold', () => {
    const piece = fc.oneof(
      fc.string({ unit: 'grapheme' }),
      fc.constantFrom('"', '\\', '\n', '\ud83d', '\ude00'),
    );
    fc.assert(
      fc.property(piece, fc.array(fc.tuple(piece, fc.boolean()), { maxLength: 20 }), (begun, pieces) => {
        const chain = new Chain({ data: begun });
        let whole = begun;
        for (const [data, isRead] of pieces) {
          chain.apply(append(data));
          whole += data;
          if (isRead) expect(JSON.parse(chain.message.data?.text ?? '')).toBe(whole);
        }
        expect(JSON.parse(chain.message.data?.text ?? '')).toBe(whole);
      }),
    );
  });

  it('is appended to without reading the text that it has', () => {
    const chain = new Chain({ data: 'x'.repeat(1_000_000) });
    chain.apply(append('y'));
    const { data } = chain.message;
    if (data === null) throw new Error('the message has no data');
    const read = vi.spyOn(data, 'text', 'get');
    chain.apply(append('z'));
    expect(read).not.toHaveBeenCalled();
    expect(chain.message.data?.text?.slice(-4)).toBe('xyz"');
  });

  it('does not append to what is no string, nor grow without bound', () => {
    const object = new Chain({ data: { a: 1 } });
    expect(object.apply(append('x'))).toMatchObject({ code: 'invalid_input' });
    const long = new Chain({ data: 'x' });
    expect(long.apply(append('y'.repeat(1_048_576)))).toEqual({
      code: 'payload_too_large',
      text: 'the message would have too much data',
    });
    expect(long.message.appends).toBe(0);
  });

  it('of bytes stays one of bytes, until it is given other data', () => {
    const chain = new Chain({ data: [0, 255], data_kind: 'bytes' });
    expect(chain.message).toMatchObject({ dataKind: 'bytes', dataBytes: 2 });
    const stream = { address: { appId: 'shop', channel: 'chat', kind: 'messages' }, streamId: 's' } as const;
    const frames = () => {
      const record = chain.records.at(-1);
      if (record === undefined) throw new Error('no record');
      const kept = [frameOf(record, stream), latestFrameOf(chain.message, 'm-1', stream)];
      return [...kept, versionItem('chat', record), latestItem('chat', chain.message)].map(isBytes);
    };
    expect(chain.apply(append('x'))).toMatchObject({ code: 'invalid_input' });
    for (const change of [update({ extras: '{"a":1}' }), remove()]) {
      expect(chain.apply(change)).toBeNull();
      expect(frames()).toEqual([true, true, true, true]);
    }
    chain.apply(update({ data: '[1,2]' }));
    expect(frames()).toEqual([false, false, false, false]);
  });

  it('can be appended to without its data being there', () => {
    const chain = new Chain({ data: 'hello' });
    chain.message = { ...chain.message, data: null };
    expect(chain.apply(append('!'))).toBeNull();
    expect(chain.message).toMatchObject({ data: null, dataBytes: 6, baseSerial: 1, deliverySerial: 2 });
  });

  it('is changed by whoever made it, or by whoever may change all', () => {
    const own = { grant: 'own', client_id: 'u1' } as const;
    expect(new Chain({}, {}, 'u1').apply(update({ actor: own, client_id: 'x' }))).toBeNull();
    const denied = { code: 'mutable_not_permitted' };
    expect(new Chain({}, {}, 'u2').apply(update({ actor: own }))).toMatchObject(denied);
    expect(new Chain({}).apply(update({ actor: own }))).toMatchObject(denied);
    expect(mayChange({ grant: 'own' }, 'u1')).toBe(false);
    expect(grantOf('message_update', ['message-update-own', 'message_update_any'])).toBe('any');
    expect(grantOf('message_append', ['message_update_any'])).toBeNull();
  });

  it('ends as a stream, and has bounds as one', () => {
    const chain = new Chain({ data: '', extras: { ai: { transport: { status: 'streaming' } } } }, ai.policy);
    expect(chain.message.isOpen).toBe(true);
    expect(chain.apply(append('x'.repeat(1001), ai))).toMatchObject({
      code: 'payload_too_large',
      aiCode: 40_009,
    });
    for (let n = 0; n < 50; n += 1) expect(chain.apply(append('x', ai))).toBeNull();
    expect(chain.apply(append('x', ai))).toMatchObject({ code: 'payload_too_large', aiCode: 40_009 });
    expect(chain.apply(update({ extras: streaming('complete'), ...ai }))).toBeNull();
    expect(chain.message.isOpen).toBe(false);
    expect(chain.apply(append('x', ai))).toMatchObject({ code: 'invalid_input' });
    const again = update({ extras: streaming('streaming'), ...ai });
    expect(chain.apply(again, NOW_MS, 'w', 2)).toMatchObject({ code: 'payload_too_large', aiCode: 40_009 });
    expect(chain.apply(again, NOW_MS, 'w', 1)).toBeNull();
  });

  it('is what its versions come to, in whatever order writers change it', () => {
    const change: fc.Arbitrary<Mutation> = fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 5 }).map((data) => append(data)),
      fc
        .record(
          {
            data: fc.constantFrom('"s"', '1', '{"a":1}', 'null'),
            name: fc.constantFrom('n', ''),
            extras: fc.constantFrom('{}', '{"headers":{"a":1}}'),
          },
          { requiredKeys: [] },
        )
        .map((fields) => update(fields)),
      fc.subarray(['name', 'data', 'extras'] as const).map((fields) => remove({ clear_fields: fields })),
    );
    const step = fc.tuple(change, fc.integer({ min: -10_000, max: 10_000 }), fc.constantFrom('a', 'b', 'zz'));
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const chain = new Chain({ data: 'x' });
        for (const [mutation, skewMs, writerId] of steps) chain.apply(mutation, NOW_MS + skewMs, writerId);
        const { name, extras, data } = chain.message;
        expect(foldVersions(chain.records)).toEqual({ name, extras, data: data?.text ?? null });
        const serials = chain.records.map(({ versionSerial }) => versionSerial ?? '');
        expect(serials.every((serial, at) => at === 0 || serial > (serials[at - 1] ?? ''))).toBe(true);
        expect(serials.every(isSerial)).toBe(true);
      }),
    );
  });
});

describe('a version serial', () => {
  it('is greater than the one before, whatever the clock and the writer', () => {
    const first = nextSerial(null, { nowMs: 1000, writerId: 'b', count: 9 });
    expect(first).toBe('00000000000000001000:b:00000000000000000009');
    const second = nextSerial(first, { nowMs: 500, writerId: 'a', count: 1 });
    expect(second).toBe('00000000000000001001:a:00000000000000000001');
    expect(nextSerial(first, { nowMs: 500, writerId: 'b', count: 10 }) > first).toBe(true);
  });
});

describe('the frame of a version', () => {
  const stream = { streamId: 's', address: { appId: 'shop', channel: 'chat', kind: 'messages' } } as const;
  const frames = (chain: Chain) =>
    chain.records.map((record) => JSON.parse(frameOf(record, stream) ?? 'null'));

  it('is the published event of a create, with the headers of the service among its own', () => {
    const extras = { ref: 1, headers: { a: 'b', service_action: 'forged' } };
    const [frame] = frames(new Chain({ data: 'hi', extras }));
    expect(frame).toMatchObject({ event: 'note', data: 'hi', stream_id: 's', serial: 1 });
    expect(frame.extras.ref).toBe(1);
    expect(frame.extras.headers).toEqual({
      a: 'b',
      service_action: 'message.create',
      service_message_serial: `${String(NOW_MS).padStart(20, '0')}:w:00000000000000000001`,
      service_version_serial: `${String(NOW_MS).padStart(20, '0')}:w:00000000000000000001`,
      service_history_serial: 7,
      service_version_timestamp_ms: NOW_MS,
    });
  });

  it('carries of an append what was appended, and whose message it is', () => {
    const chain = new Chain({ data: 'hello' }, {}, 'u1');
    chain.apply(append(' world', { client_id: 'bot', description: 'tok', metadata: '{"k":1.0}' }));
    const [, frame] = frames(chain);
    expect(frame).toMatchObject({
      event: 'service:message.append',
      channel: 'chat',
      name: 'note',
      data: ' world',
      user_id: 'u1',
      message_id: 'm-1',
      serial: 2,
      extras: { headers: { service_action: 'message.append', service_history_serial: 7 } },
    });
    const record = chain.records[1];
    if (record === undefined) throw new Error('there is no second version');
    const item = versionItem('chat', record);
    expect(item).toContain('"metadata":{"k":1.0}');
    expect(JSON.parse(item)).toMatchObject({
      event: 'service:message.append',
      data: ' world',
      action: 'append',
      history_serial: 7,
      version: { client_id: 'bot', description: 'tok', timestamp_ms: NOW_MS },
    });
  });
});

describe('the identity of an operation', () => {
  it('is of one message and one action, and knows other content', () => {
    const one = operationIdentity(update({ op_id: 'o', data: '1' }));
    expect(operationIdentity(update({ op_id: 'o', data: '1', pub_id: 'other' }))).toEqual(one);
    expect(operationIdentity(remove({ op_id: 'o', data: '1' }))?.hash).not.toBe(one?.hash);
    expect(operationIdentity(update({ op_id: 'o', data: '1', message_serial: 'n' }))?.hash).not.toBe(
      one?.hash,
    );
    const other = operationIdentity(update({ op_id: 'o', data: '2' }));
    expect(other?.hash).toBe(one?.hash);
    expect(other?.fingerprint).not.toBe(one?.fingerprint);
    expect(operationIdentity(update())).toBeNull();
  });
});
