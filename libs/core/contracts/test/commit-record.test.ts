import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  COMMIT,
  COMMIT_OPS,
  decodeLaneReply,
  decodeLaneRequest,
  encode,
  MAX_COMMIT_BYTES,
  readCommitRecord,
  type CommitRecord,
  type CommitRecordOf,
} from '../src/index.js';

const CAP = MAX_COMMIT_BYTES;
const REQUEST =
  '{"v":1,"kind":"commit","lanes":16,"lane":5,"budget_ms":4800,"chain":false,"node_id":"api-2-1f2e3d4c","records":[{"pub_id":"0199d3a1-7c1e-7b52-9f10-2a6f0c1d9e77","op":"publish","app_id":"shop","channel":"orders","message_id":"m-77","message":"{\\"event\\":\\"order.paid\\",\\"channel\\":\\"orders\\",\\"data\\":\\"{\\\\\\"id\\\\\\":5}\\",\\"message_id\\":\\"m-77\\"}","except_socket":"811.22","actor":{"client_id":"u1","socket_id":"811.22"},"idem":{"scope":"9c1f0000000000000000000000000000","fingerprint":"77ab0000000000000000000000000000","ttl_ms":120000},"policy":{"history_ms":86400000,"versions_ms":null,"max_messages":null,"max_bytes":null,"versioned":false,"cache":false,"ai":null}}]}';
const PUB_ID = '0199d3a1-7c1e-7b52-9f10-2a6f0c1d9e77';
const policy = {
  history_ms: 86_400_000,
  versions_ms: null,
  max_messages: null,
  max_bytes: null,
  versioned: false,
  cache: false,
  ai: null,
};
const base = { pub_id: PUB_ID, app_id: 'shop', channel: 'orders' };
const SERIAL = '00000001760000000123:n1:00000000000000000042';
const publish: CommitRecordOf<'publish'> = { ...base, policy, op: 'publish', message_id: 'm', message: '{}' };
const mutation = {
  ...base,
  policy,
  actor: { grant: 'any' },
  message_serial: SERIAL,
  message_id: 'v',
} as const;

const ONE_OF_EACH: CommitRecord[] = [
  publish,
  { ...publish, op: 'create' },
  { ...mutation, op: 'update', data: '{"deep":[1,null,"x"]}', clear_fields: ['name'], op_id: 'o' },
  { ...mutation, op: 'delete' },
  { ...mutation, op: 'append', data: ' world' },
  {
    ...base,
    policy,
    op: 'annotate',
    message_serial: SERIAL,
    type: 'reactions:flag.v1',
    count: 1,
    max_frame_bytes: 0,
  },
  {
    ...base,
    policy,
    op: 'unannotate',
    actor: { grant: 'own' },
    message_serial: SERIAL,
    annotation_serial: SERIAL,
    max_frame_bytes: 10_240,
  },
  { ...base, policy, op: 'presence', event: 'member_added', cause: 'join', user_id: 'u', transition_no: 4 },
  { ...base, op: 'reset', stream: 'messages', reason: 'broken' },
  { ...base, op: 'purge', mode: 'before_serial', before_serial: 4, reason: 'law' },
  { ...base, op: 'mark', stream: 'messages', state: 'healthy', reason: null, node_id: 'gw-1' },
];

const takes = (records: unknown[]) =>
  decodeLaneRequest(
    JSON.stringify({
      v: 1,
      kind: 'commit',
      lanes: 16,
      lane: 5,
      budget_ms: 1,
      chain: true,
      node_id: 'n',
      records,
    }),
    CAP,
  ).ok;

describe('a commit request', () => {
  it('is read as documented, with its record', () => {
    const request = decodeLaneRequest(REQUEST, CAP);
    if (!request.ok || request.message.kind !== 'commit') throw new Error('not read');
    expect(request.message).toMatchObject({ lanes: 16, lane: 5, budget_ms: 4800, chain: false });
    const [record] = request.message.records;
    expect(readCommitRecord(record)).toMatchObject({
      ok: true,
      record: { op: 'publish', message_id: 'm-77' },
    });
  });

  it('is not refused for one bad record', () => {
    const records = [publish, { pub_id: PUB_ID, op: 'fly' }];
    const body = { lanes: 16, lane: 5, budget_ms: 1, chain: false, node_id: 'n', records };
    const encoded = encode(COMMIT, body, CAP);
    const request = decodeLaneRequest(encoded.ok ? encoded.text : '', CAP);
    if (!request.ok || request.message.kind !== 'commit') throw new Error('not read');
    expect(request.message.records.map((record) => readCommitRecord(record).ok)).toEqual([true, false]);
  });

  it('holds 1 to 128 records with an id each', () => {
    expect(takes([])).toBe(false);
    expect(takes(Array.from({ length: 128 }, () => ({ pub_id: PUB_ID })))).toBe(true);
    expect(takes(Array.from({ length: 129 }, () => ({ pub_id: PUB_ID })))).toBe(false);
    expect(takes([{ pub_id: PUB_ID.toUpperCase() }])).toBe(false);
  });
});

describe('a lane answers', () => {
  it('with results as documented, nulls included', () => {
    const reply =
      '{"v":1,"kind":"committed","results":[{"pub_id":"0199d3a1-7c1e-7b52-9f10-2a6f0c1d9e77","status":"applied","stream_id":"5b0e8a52-0000-4000-8000-000000000000","delivery_serial":9,"history_serial":7,"message_serial":null,"version_serial":null,"published_at_ms":1760000000123}]}';
    expect(decodeLaneReply(reply, CAP)).toEqual({ ok: true, message: JSON.parse(reply) });
  });

  it('or with a refusal', () => {
    const refusal = '{"v":1,"kind":"refused","code":"backpressure"}';
    expect(decodeLaneReply(refusal, CAP)).toEqual({ ok: true, message: JSON.parse(refusal) });
  });
});

describe('a commit record', () => {
  it('of every operation is read', () => {
    expect(ONE_OF_EACH.map(({ op }) => op)).toEqual([...COMMIT_OPS]);
    for (const record of ONE_OF_EACH) expect(readCommitRecord(record)).toEqual({ ok: true, record });
  });

  it('holds no U+0000 and no half of a surrogate pair, in any text however deep', () => {
    for (const bad of ['\0', '\ud800', '\udc00x', 'a\ud83dz']) {
      const withBad: unknown[] = [
        { ...publish, message: bad },
        { ...publish, channel: bad },
        { ...publish, message_id: bad },
        { ...publish, actor: { client_id: bad } },
        { ...mutation, op: 'update', data: `"${bad}"` },
        { ...mutation, op: 'update', metadata: `{"${bad}":1}` },
        { ...mutation, op: 'update', description: bad },
      ];
      for (const record of withBad) expect(readCommitRecord(record).ok).toBe(false);
    }
    expect(readCommitRecord({ ...publish, message: '\u{1F600}' }).ok).toBe(true);
  });

  it('holds texts that are JSON where they have to be', () => {
    const refused = [{ data: '{' }, { extras: '[]' }, { extras: '1' }, { metadata: `"${'x'.repeat(8192)}"` }];
    for (const more of refused)
      expect(readCommitRecord({ ...mutation, op: 'update', ...more }).ok).toBe(false);
    for (const data of ['1', '"\\u0000"', '[12345678901234567890]'])
      expect(readCommitRecord({ ...mutation, op: 'update', data }).ok).toBe(true);
  });

  it('says who may act where another is touched', () => {
    for (const actor of [undefined, {}, { grant: 'all' }, { client_id: 'u' }]) {
      expect(readCommitRecord({ ...mutation, actor, op: 'update', data: '1' }).ok).toBe(false);
    }
  });

  it('with one member broken is refused, and never throws', () => {
    fc.assert(
      fc.property(fc.constantFrom(...ONE_OF_EACH), fc.nat(), fc.jsonValue(), (record, at, value) => {
        const names = Object.keys(record);
        const broken = { ...record, [names[at % names.length] ?? 'op']: value };
        expect(typeof readCommitRecord(broken).ok).toBe('boolean');
        expect(readCommitRecord({ ...record, pub_id: value }).ok).toBe(false);
        expect(readCommitRecord({ ...record, app_id: '' }).ok).toBe(false);
      }),
    );
  });

  it('may be nested deeper than a call stack', () => {
    const deep = JSON.parse(`${'['.repeat(100_000)}"\\u0000"${']'.repeat(100_000)}`);
    const presence = { ...base, policy, op: 'presence', event: 'member_added', cause: 'join', user_id: 'u' };
    expect(readCommitRecord({ ...presence, user_info: deep }).ok).toBe(false);
    const text = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;
    expect(readCommitRecord({ ...mutation, op: 'update', data: text }).ok).toBe(true);
  });
});
