import { createRequire } from 'node:module';
import { configuration } from '@carillon/testing';
import { expect, it, vi } from 'vitest';
import { currentTrace, isTracing, openTelemetry, startSpan, traced } from '../src/index.js';

const loaded = (): boolean =>
  Object.keys(createRequire(import.meta.url).cache).some((path) => path.includes('/@opentelemetry/sdk-'));

it('openTelemetry loads no library and starts no spans when it is disabled', async () => {
  const telemetry = await openTelemetry({
    config: configuration().opentelemetry,
    nodeId: 'node-1',
    version: '1.2.3',
    messagesToo: false,
    samples: () => Promise.resolve([]),
    warn: () => undefined,
  });
  expect(telemetry).toBeNull();
  expect(loaded()).toBe(false);
  expect(isTracing()).toBe(false);
  expect(startSpan({ name: 'a', kind: 'client' })).toBeNull();
  expect(currentTrace()).toBeUndefined();
  const what = vi.fn<() => never>();
  expect(traced(what, () => 7)).toBe(7);
  expect(what).not.toHaveBeenCalled();
});
