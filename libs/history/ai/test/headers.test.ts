import { describe, expect, it } from 'vitest';
import {
  checkHeaders,
  checkIdentity,
  endsStream,
  lifecycleOf,
  orphanedExtras,
  streamStatus,
} from '../src/index.js';

const LIMITS = { maxTransportValueBytes: 256, maxSteerCodecMessageIdsBytes: 2048 };
const transport = (headers: object) => checkHeaders({ transport: headers }, LIMITS)?.code ?? null;
const identity = (headers: object) => checkIdentity({ transport: headers }, 'u1')?.code ?? null;
const extras = (headers: object) => JSON.stringify({ ai: { transport: headers } });

describe('the headers of AI transport', () => {
  it('have names and values of their own', () => {
    expect(transport({ 'run-id': 'r', status: 'streaming', role: 'tool', stream: 'true' })).toBeNull();
    for (const wrong of [
      { foo: 'x' },
      { status: 'done' },
      { 'run-id': '' },
      { 'run-id': 1 },
      { 'Run-Id': 'x' },
    ])
      expect(transport(wrong)).toBe('ai_invalid_transport_header');
    expect(transport({ 'run-client-id': '' })).toBeNull();
    for (const wrong of [[], 'x', { transport: [] }, { codec: { 'a b': 'x' } }])
      expect(checkHeaders(wrong, LIMITS)?.code).toBe('ai_invalid_transport_header');
  });

  it('have bounds', () => {
    expect(transport({ model: 'x'.repeat(257) })).toBe('ai_header_too_large');
    expect(transport({ 'steer-codec-message-ids': 'x'.repeat(2048) })).toBeNull();
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`k${index}`, 'v']));
    expect(checkHeaders({ codec: many }, LIMITS)?.code).toBe('ai_header_too_large');
    expect(checkHeaders({ codec: { providerMetadata: 'x'.repeat(8192) } }, LIMITS)).toBeNull();
    expect(checkHeaders({ codec: { other: 'x'.repeat(257) } }, LIMITS)?.code).toBe('ai_header_too_large');
    expect(checkHeaders({ codec: { ['x'.repeat(65)]: '' } }, LIMITS)?.code).toBe('ai_header_too_large');
  });

  it('name no other client than the one they are from', () => {
    expect(identity({ 'input-client-id': 'u1', model: 'm' })).toBeNull();
    expect(identity({ 'input-client-id': 'u2' })).toBe('ai_client_id_spoof');
    expect(identity({ 'run-client-id': '' })).toBe('ai_client_id_spoof');
  });
});

describe('a stream', () => {
  it('has a status, and ends by it', () => {
    expect(streamStatus(extras({ status: 'streaming' }))).toBe('streaming');
    expect(streamStatus('{"ai":[]}')).toBeNull();
    expect(streamStatus(null)).toBeNull();
    expect(endsStream(extras({ status: 'cancelled' }))).toBe(true);
    const codec = { ai: { codec: { status: 'streaming' }, transport: { status: 'complete' } } };
    expect(endsStream(JSON.stringify(codec))).toBe(false);
  });

  it('that nobody goes on with keeps the rest of its extras', () => {
    const before =
      '{"headers":{"a":1.0},"ai":{"codec":{"x":"y"},"transport":{"status":"streaming","run-id":"r"}}}';
    const after = orphanedExtras(before);
    expect(after).toContain('"a":1.0');
    expect(JSON.parse(after)).toEqual({
      headers: { a: 1 },
      ai: {
        codec: { x: 'y' },
        transport: {
          'run-id': 'r',
          status: 'cancelled',
          'error-code': 'orphan_timeout',
          'error-message': 'stream cancelled after orphan timeout',
        },
      },
    });
    expect(streamStatus(orphanedExtras(null))).toBe('cancelled');
  });

  it('tells the servers of an app when its run begins and ends', () => {
    const run = { 'run-id': 'r', 'run-client-id': '', 'error-code': 'e', 'run-reason': 'odd' };
    expect(lifecycleOf('ai-run-start', extras(run))).toEqual({
      name: 'ai_run_started',
      run_id: 'r',
      client_id: null,
    });
    expect(lifecycleOf('ai-run-end', extras(run))).toMatchObject({ reason: 'unknown', error_code: 'e' });
    expect(lifecycleOf('ai-cancel', extras(run))).toMatchObject({ run_id: 'r', turn_id: 'r' });
    expect(lifecycleOf('ai-turn-end', extras({ 'turn-reason': 'suspended' }))).toBeNull();
    expect(lifecycleOf('ai-output', extras(run))).toBeNull();
  });
});
