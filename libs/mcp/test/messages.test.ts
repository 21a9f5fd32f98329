import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RpcFailure } from '../src/rpc/failure.js';
import { readBody, readMessage } from '../src/rpc/read-message.js';
import { isStatelessVersion } from '../src/rpc/revisions.js';
import { checkEnvelope } from '../src/rpc/stateless.js';
import { variablesOf, uriTemplate } from '../src/resources/uri.js';
import { findings } from '../src/tools/check.js';

const nested = (levels: number) => Buffer.from(`${'['.repeat(levels)}${']'.repeat(levels)}`);
const codeOf = (work: () => unknown): number | null => {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof RpcFailure) return error.code;
    throw error;
  }
};

describe('messages', () => {
  it('of any shape are read or refused with a code', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.jsonValue(),
          fc.record(
            {
              jsonrpc: fc.constant('2.0'),
              id: fc.jsonValue(),
              method: fc.jsonValue(),
              params: fc.jsonValue(),
            },
            { requiredKeys: [] },
          ),
        ),
        (value) => {
          expect([null, -32_600]).toContain(codeOf(() => readMessage(value)));
        },
      ),
    );
  });

  it('of any bytes are read or refused with a code', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect([null, -32_600, -32_700]).toContain(codeOf(() => readBody(bytes)));
      }),
    );
  });

  it.each([
    [{ jsonrpc: '1.0', id: 1, method: 'ping' }, -32_600],
    [{ jsonrpc: '2.0', id: null, method: 'ping' }, -32_600],
    [{ jsonrpc: '2.0', id: 1.5, method: 'ping' }, -32_600],
    [{ jsonrpc: '2.0', id: 1 }, -32_600],
    [[], -32_600],
    [{ jsonrpc: '2.0', id: 1, result: {} }, null],
    [{ jsonrpc: '2.0', method: 'notifications/any' }, null],
  ])('%j: %s', (value, code) => {
    expect(codeOf(() => readMessage(value))).toBe(code);
  });

  it('are nested 64 deep at most', () => {
    expect([64, 65, 100_000].map((levels) => codeOf(() => readBody(nested(levels))))).toEqual([
      null,
      -32_600,
      -32_600,
    ]);
  });

  it('belong to the era without sessions by their version', () => {
    expect(['2026-07-28', '2030-01-01'].map(isStatelessVersion)).toEqual([true, true]);
    expect(['2025-11-25', '2020-01-01', 'z', undefined].map(isStatelessVersion)).toEqual([
      false,
      false,
      false,
      false,
    ]);
  });

  it('without a session say the same in headers and body', () => {
    const meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const params = { name: 'prüfen', _meta: meta };
    const encoded = `=?base64?${Buffer.from('prüfen').toString('base64')}?=`;
    const headers = { version: '2026-07-28', method: 'tools/call', name: encoded };
    expect(codeOf(() => checkEnvelope('tools/call', params, headers))).toBeNull();
    expect(codeOf(() => checkEnvelope('tools/call', params, { ...headers, name: 'other' }))).toBe(-32_020);
    expect(codeOf(() => checkEnvelope('tools/call', params, { ...headers, version: undefined }))).toBe(
      -32_020,
    );
    expect(codeOf(() => checkEnvelope('tools/list', params, headers))).toBe(-32_020);
    const other = { ...params, _meta: { ...meta, 'io.modelcontextprotocol/protocolVersion': '2030-01-01' } };
    expect(codeOf(() => checkEnvelope('tools/call', other, headers))).toBe(-32_022);
  });
});

describe('a URI', () => {
  const template = uriTemplate('service://apps/{appId}/channels/{channel}');
  it('gives its variables back, whatever they hold', () => {
    const text = fc.string({ minLength: 1, unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, (appId, channel) => {
        const uri = `service://apps/${encodeURIComponent(appId)}/channels/${encodeURIComponent(channel)}`;
        expect(variablesOf(template, uri)).toEqual({ appId, channel });
      }),
    );
  });

  it('that cannot be decoded is none', () => {
    expect(variablesOf(template, 'service://apps/a/channels/%ff')).toBeNull();
    expect(variablesOf(template, 'service://apps/a/channels/a/b')).toBeNull();
  });
});

describe('findings', () => {
  const schema = {
    type: 'object',
    properties: {
      channel: { type: 'string', minLength: 1 },
      limit: { type: 'integer', minimum: 1 },
      mode: { enum: ['a', 'b'] },
    },
    required: ['channel', 'mode'],
    additionalProperties: false,
  };
  it('name every bad argument by its pointer', () => {
    expect(findings(schema, { chanel: 1, limit: 0, 'a/b~': 1 }).map(({ path }) => path)).toEqual([
      '/channel',
      '/mode',
      '/chanel',
      '/limit',
      '/a~1b~0',
    ]);
    expect(findings(schema, { channel: 'x', mode: 'a' })).toEqual([]);
  });

  it('are found in anything without failing, and are bounded', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(findings(schema, value).length).toBeLessThanOrEqual(50);
      }),
    );
  });
});
