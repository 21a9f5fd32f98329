import * as fc from 'fast-check';
import { type Span, useTracer } from '@carillon/tracing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { scene } from './scene.js';
import { canonicalJson, cut, redact } from '../src/audit/redact.js';

const SECRET = 'hunter2-hunter2';

describe('redaction', () => {
  it('lets no secret through, whatever stands around it', () => {
    const names = [
      'token',
      'deviceToken',
      'private_secret',
      'Authorization_PASSWORD',
      'p256dh',
      'endpoint',
      'clientAuth',
    ];
    const arguments_ = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: 'small' },
        fc.string(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.string({ maxLength: 5 }), tie('value'), { maxKeys: 3 }),
        fc.constantFrom(...names).map((name) => ({ [name]: SECRET })),
        fc
          .constantFrom('data', 'extras', 'payload', 'user_info')
          .map((name) => ({ [name]: { deep: SECRET } })),
      ),
    })).value;
    fc.assert(
      fc.property(arguments_, (given) => {
        expect(JSON.stringify(redact(given)) ?? '').not.toContain(SECRET);
      }),
    );
  });

  it('says the size of content, and what else was asked', () => {
    expect(redact({ channel: 'orders', data: 'äb', extras: { a: 1 }, limit: 5 })).toEqual({
      channel: 'orders',
      data: '[3 bytes]',
      extras: '[7 bytes]',
      limit: 5,
    });
  });

  it('keeps a text on one bounded line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 400 }), (text) => {
        // oxlint-disable-next-line no-control-regex -- nothing of it may be left
        expect(cut(text, 64)).not.toMatch(/[\u0000-\u001f\u007f\u2028]/);
      }),
    );
    expect(cut('desk\nagent')).toBe('desk\\u000aagent');
  });

  it('takes equal arguments for equal', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (given) => {
        const turned = Object.fromEntries(Object.entries(given).toReversed());
        expect(canonicalJson(turned)).toBe(canonicalJson(given));
        expect(JSON.parse(canonicalJson(given))).toEqual(JSON.parse(JSON.stringify(given)));
      }),
    );
  });
});

describe('a record of a call', () => {
  it('names the trace that the request belongs to', async () => {
    const span = { traceId: 'a'.repeat(32) } as Span;
    useTracer({ start: () => span, within: (_, work) => work(), current: () => span });
    onTestFinished(() => useTracer(null));
    const { begin, call, records } = await scene();
    await call(await begin(), 'get_health', {});
    const record = records().find(({ event }) => event === 'mcp.tool.called');
    expect(record?.['trace_id']).toBe('a'.repeat(32));
  });
});
