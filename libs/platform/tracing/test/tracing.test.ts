import { expect, it } from 'vitest';
import { isTracing, isTracingMessages, type Tracer, useTracer } from '../src/index.js';

const tracer = (): Tracer => ({
  start: () => {
    throw new Error('starts no span here');
  },
  within: (_span, work) => work(),
  current: () => undefined,
});

it('useTracer restores the previous tracer when its result is called', () => {
  const restoreNone = useTracer(tracer(), true);
  const restoreFirst = useTracer(tracer());
  expect(isTracingMessages()).toBe(false);
  restoreFirst();
  expect([isTracing(), isTracingMessages()]).toEqual([true, true]);
  restoreNone();
  restoreFirst();
  expect([isTracing(), isTracingMessages()]).toEqual([false, false]);
});
