import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTrace, traceOfHeaders, traceText } from '../src/trace-text.js';

const PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const parent = { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: '00f067aa0ba902b7', flags: 1 };
const headers = (said: Record<string, string>) => traceOfHeaders((name) => said[name]);

describe('what is told of a trace', () => {
  it('is parent, state and baggage, and the parent alone as it always was', () => {
    const context = { parent, state: 'a=1,b=2', baggage: 'user=7;private, tenant=x%20y' };
    expect(readTrace(traceText(context))).toEqual(context);
    expect(traceText({ parent, state: '', baggage: '' })).toBe(PARENT);
    expect(readTrace(PARENT)).toEqual({ parent, state: '', baggage: '' });
    const said = { traceparent: PARENT, tracestate: context.state, baggage: context.baggage };
    expect(readTrace(headers(said))).toEqual(context);
  });

  it('keeps baggage without a parent, and no state without one', () => {
    expect(readTrace(headers({ traceparent: 'nonsense', tracestate: 'a=1', baggage: 'b=2' }))).toEqual({
      parent: null,
      state: '',
      baggage: 'b=2',
    });
    expect(readTrace(headers({}))).toEqual({ parent: null, state: '', baggage: '' });
  });

  it('drops what is malformed or too large, the rest stays', () => {
    for (const baggage of ['no value', '=1', 'a=1,,b=2', 'ä=1', `a=${'x'.repeat(8192)}`]) {
      expect(readTrace(headers({ traceparent: PARENT, baggage }))).toMatchObject({ parent, baggage: '' });
    }
    expect(readTrace(headers({ traceparent: PARENT, tracestate: 'x'.repeat(513) })).state).toBe('');
  });

  it('between processes fits into what they take of each other, baggage going first', () => {
    const state = 'v=1';
    const long = { parent, state, baggage: `a=${'x'.repeat(600)}` };
    expect(traceText(long)).toBe(`${PARENT}\n${state}`);
    expect(traceText({ ...long, state: `v=${'y'.repeat(500)}` })).toBe(PARENT);
    fc.assert(
      fc.property(fc.string({ maxLength: 600 }), fc.string({ maxLength: 600 }), (one, other) => {
        const text = traceText({ parent, ...pick(readTrace(`${PARENT}\n${one}\n${other}`)) });
        expect(text.length).toBeLessThanOrEqual(512);
        expect(readTrace(text).parent).toEqual(parent);
      }),
    );
  });
});

const pick = ({ state, baggage }: { readonly state: string; readonly baggage: string }) => ({
  state,
  baggage,
});
