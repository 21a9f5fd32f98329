import * as fc from 'fast-check';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { closeSync, openSync } from 'node:fs';
import { processDescriptors } from '../src/admission/descriptors.js';
import { decide, type MemorySample } from '../src/admission/decision.js';
import { acceptTrafficAnswer, Admission, ProcessState } from '../src/index.js';
import { capturedLog, testMetrics } from './fixtures.js';

afterEach(() => void vi.useRealTimers());

const GIB = 1024 ** 3;
const limited = (residentBytes: number | null): MemorySample => ({
  limit: { bytes: GIB, source: 'cgroup_v2' },
  residentBytes,
});

function admission(enabled: boolean, samples: MemorySample[]) {
  const { logging, records } = capturedLog();
  const metrics = testMetrics();
  const process = new ProcessState();
  process.advance('RUNNING');
  const options = { enabled, memory_threshold: 0.9, sample_interval_ms: 500 };
  const reader = (): MemorySample => samples.shift() ?? limited(0);
  const created = new Admission(options, { process, metrics, log: logging.for('service::ops'), reader });
  return { admission: created, process, metrics, records };
}

const answer = (one: Admission) => {
  const { status, body, headers } = acceptTrafficAnswer(one.state(), one.decision);
  return [status, body, headers['x-memory-pressure-monitor'], headers['x-memory-limit-source']];
};

describe('admission decision', () => {
  it('sheds exactly at the threshold and never without a limit and a reading', () => {
    fc.assert(
      fc.property(
        fc.double({ min: 0.01, max: 1, noNaN: true }),
        fc.option(fc.maxSafeNat(), { nil: null }),
        fc.option(fc.maxSafeNat(), { nil: null }),
        (threshold, limit, rss) => {
          const sample: MemorySample = {
            limit: limit === null ? null : { bytes: limit, source: 'configured' },
            residentBytes: rss,
          };
          const { monitor, source } = decide(threshold, sample);
          const shedding = limit !== null && rss !== null && rss >= threshold * limit;
          const readable = limit !== null && rss !== null;
          expect(monitor).toBe(shedding ? 'SHEDDING' : readable ? 'AVAILABLE' : 'UNAVAILABLE');
          expect(source).toBe(limit === null ? 'unavailable' : 'configured');
        },
      ),
    );
  });
});

describe('admission', () => {
  it('accepts while off and does not look at memory', () => {
    const { admission: off } = admission(false, [limited(GIB)]);
    off.start();
    expect(answer(off)).toEqual([200, 'ACCEPTING', 'DISABLED', 'unavailable']);
  });

  it('accepts without a limit, and without a reading under a limit', () => {
    const { admission: one } = admission(true, [{ limit: null, residentBytes: 1 }, limited(null)]);
    one.sample();
    expect(answer(one)).toEqual([200, 'ACCEPTING', 'UNAVAILABLE', 'unavailable']);
    one.sample();
    expect(answer(one)).toEqual([200, 'ACCEPTING', 'UNAVAILABLE', 'cgroup_v2']);
  });

  it('refuses from one sample at the threshold on, and accepts from the next below it', async () => {
    vi.useFakeTimers();
    const {
      admission: one,
      records,
      metrics,
    } = admission(true, [limited(0.5 * GIB), limited(0.9 * GIB), limited(GIB), limited(0.5 * GIB)]);
    one.start();
    expect(answer(one)).toEqual([200, 'ACCEPTING', 'AVAILABLE', 'cgroup_v2']);
    vi.advanceTimersByTime(500);
    expect(answer(one)).toEqual([503, 'MEMORY_PRESSURE', 'SHEDDING', 'cgroup_v2']);
    vi.useRealTimers();
    one.countRejection();
    one.sample();
    expect(await metrics.text()).toContain('service_memory_pressure_shedding 1');
    expect(await metrics.text()).toContain('service_memory_pressure_rejections_total{port="6001"} 1');
    one.sample();
    expect(answer(one)).toEqual([200, 'ACCEPTING', 'AVAILABLE', 'cgroup_v2']);
    expect(await metrics.text()).toContain('service_memory_pressure_shedding 0');
    expect(records().map(({ level }) => level)).toEqual(['WARN', 'INFO']);
    one.stop();
  });

  it('says DRAINING rather than MEMORY_PRESSURE, and STARTING before anything', () => {
    const { admission: one, process } = admission(true, [limited(GIB)]);
    one.sample();
    process.advance('DRAINING');
    expect(answer(one)).toEqual([503, 'DRAINING', 'SHEDDING', 'cgroup_v2']);
    const starting = new Admission(
      { enabled: true, memory_threshold: 0.9, sample_interval_ms: 500 },
      { process: new ProcessState(), metrics: testMetrics(), log: capturedLog().logging.for('x') },
    );
    expect(starting.state()).toBe('STARTING');
  });
});

function counted(counts: number[], most: number | null = 1000) {
  const { logging, records } = capturedLog();
  const process = new ProcessState();
  process.advance('RUNNING');
  let looks = 0;
  const descriptors = {
    most,
    open: (): number => {
      looks += 1;
      return counts.shift() ?? 0;
    },
  };
  const options = { enabled: false, memory_threshold: 0.9, sample_interval_ms: 500 };
  const log = logging.for('service::ops');
  const one = new Admission(options, { process, metrics: testMetrics(), log, descriptors });
  return { admission: one, records, looks: () => looks };
}

describe('file descriptors', () => {
  it('are refused from the reserve on until some more are free, which is said once each', () => {
    const { admission: one, records } = counted([949, 950, 949, 939, 937]);
    const states = Array.from({ length: 5 }, () => one.state());
    expect(states).toEqual([
      'ACCEPTING',
      'DESCRIPTOR_PRESSURE',
      'DESCRIPTOR_PRESSURE',
      'DESCRIPTOR_PRESSURE',
      'ACCEPTING',
    ]);
    expect(records().map(({ level }) => level)).toEqual(['WARN', 'INFO']);
  });

  it('are not counted for every connection while there are many', () => {
    const { admission: one, looks } = counted([100]);
    for (let index = 0; index < 849; index += 1) one.state();
    expect(looks()).toBeLessThan(10);
  });

  it('are without end where nobody tells a limit', () => {
    const { admission: one, looks } = counted([1e9], null);
    expect(one.state()).toBe('ACCEPTING');
    expect(looks()).toBe(0);
  });

  it('of this process are counted as they are opened', () => {
    const { most, open } = processDescriptors();
    expect(most).toBeGreaterThan(100);
    const before = open();
    const opened = Array.from({ length: 50 }, () => openSync('/dev/null', 'r'));
    expect(open()).toBeGreaterThanOrEqual(before + 50);
    for (const descriptor of opened) closeSync(descriptor);
  });
});
