import type { IngestEvent } from '@carillon/ingest-source';
import { describe, expect, it } from 'vitest';
import { mutationBody, publishBody, pushBody } from '../src/request.js';

const base: IngestEvent = {
  id: 'event-1',
  op: 'publish',
  app: 'shop',
  channel: 'orders',
  name: 'e',
  message: null,
  data: 'text',
  isJson: false,
  optionsText: '{}',
  atMs: 0,
  bytes: 0,
};

describe('publishBody', () => {
  it('names the event id as message_id unless the options do', () => {
    expect(publishBody(base).object).toEqual({
      name: 'e',
      channel: 'orders',
      data: 'text',
      message_id: 'event-1',
    });
    const named = publishBody({ ...base, optionsText: '{"message_id": "m"}' });
    expect(named.object['message_id']).toBe('m');
    expect(JSON.parse(named.text)).toEqual(named.object);
  });

  it('keeps the text of JSON data, and leaves absent data out', () => {
    const body = publishBody({ ...base, data: '{"n": 12345678901234567890}', isJson: true });
    expect(body.text).toContain('"data":{"n": 12345678901234567890}');
    expect(publishBody({ ...base, data: null }).object).not.toHaveProperty('data');
  });
});

describe('mutationBody', () => {
  it('joins changes and options of an update and names the event id as op_id', () => {
    const body = mutationBody({
      ...base,
      op: 'update',
      data: '{"data": {"a": 1}}',
      isJson: true,
      optionsText: '{"description":"d"}',
    });
    expect(JSON.parse(body.text)).toEqual({ data: { a: 1 }, description: 'd', op_id: 'event-1' });
    expect(body.object).toEqual({ data: { a: 1 }, description: 'd', op_id: 'event-1' });
  });

  it('has only the key when a delete says nothing else', () => {
    expect(mutationBody({ ...base, op: 'delete', data: null })).toEqual({
      text: '{"op_id":"event-1"}',
      object: { op_id: 'event-1' },
    });
  });
});

describe('pushBody', () => {
  it('names the event id as publishId unless the body does', () => {
    const push = { ...base, op: 'push', isJson: true } as const;
    expect(pushBody({ ...push, data: '{"payload":{}}' })).toEqual({ payload: {}, publishId: 'event-1' });
    expect(pushBody({ ...push, data: '{"publishId":"p"}' })).toEqual({ publishId: 'p' });
  });
});
