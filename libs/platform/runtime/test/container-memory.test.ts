import { describe, expect, it } from 'vitest';
import { containerMemory } from '../src/admission/cgroup.js';
import { memoryReader } from '../src/admission/memory-reader.js';
import { pageSizeBytes, pageSizeFrom } from '../src/admission/page-size.js';
import { memoryUsage } from '../src/index.js';

/** A machine's files, by path. */
const files = (content: Record<string, string>) => (path: string) => content[path] ?? null;

const host = () => ({ free: 1e9, total: 4e9 });

const V2 = {
  '/proc/self/cgroup': '0::/\n',
  '/sys/fs/cgroup/memory.max': '1000000\n',
  '/sys/fs/cgroup/memory.current': '600000\n',
  '/sys/fs/cgroup/memory.stat': 'anon 1\ninactive_file 100000\nactive_file 5\n',
};

describe('container memory', () => {
  it('reads version 2', () => {
    expect(containerMemory(files(V2))).toEqual({ source: 'cgroup_v2', limitBytes: 1e6, usedBytes: 5e5 });
  });

  it('takes the smallest limit on the way from the own group to the root', () => {
    const nested = files({
      '/proc/self/cgroup': '0::/kubepods/pod1/c1\n',
      '/sys/fs/cgroup/kubepods/memory.max': '9000\n',
      '/sys/fs/cgroup/kubepods/pod1/memory.max': '500\n',
      '/sys/fs/cgroup/kubepods/pod1/c1/memory.max': 'max\n',
      '/sys/fs/cgroup/memory.max': 'max\n',
    });
    expect(containerMemory(nested)).toEqual({ source: 'cgroup_v2', limitBytes: 500, usedBytes: null });
  });

  it('reads the word max as no limit and then asks version 1', () => {
    const both = files({
      ...V2,
      '/sys/fs/cgroup/memory.max': 'max\n',
      '/proc/self/cgroup': '4:cpu,memory:/a\n0::/\n',
      '/sys/fs/cgroup/memory/a/memory.limit_in_bytes': '2000\n',
      '/sys/fs/cgroup/memory/a/memory.usage_in_bytes': '1500\n',
      '/sys/fs/cgroup/memory/a/memory.stat': 'inactive_file 1\ntotal_inactive_file 500\n',
    });
    expect(containerMemory(both)).toEqual({ source: 'cgroup_v1', limitBytes: 2000, usedBytes: 1000 });
  });

  it('reads huge version 1 values as no limit', () => {
    const open = { '/sys/fs/cgroup/memory/memory.limit_in_bytes': `${2n ** 60n}` };
    expect(containerMemory(files(open))).toBeNull();
    const bound = { '/sys/fs/cgroup/memory/memory.limit_in_bytes': `${2n ** 59n}` };
    expect(containerMemory(files(bound))?.limitBytes).toBe(2 ** 59);
  });

  it('takes nonsense and missing files for no limit', () => {
    expect(containerMemory(files({ '/sys/fs/cgroup/memory.max': 'lots' }))).toBeNull();
    expect(containerMemory(files({ '/proc/self/cgroup': '0::/../../x\n' }))).toBeNull();
    expect(containerMemory(files({}))).toBeNull();
  });
});

describe('memory reader', () => {
  const statm = { '/proc/self/statm': '9000 250 10 1 0 1 0\n' };

  it('prefers the configured limit and multiplies resident pages by their size', () => {
    expect(memoryReader(7_000_000, files({ ...V2, ...statm }), 4096)()).toEqual({
      limit: { bytes: 7_000_000, source: 'configured' },
      residentBytes: 1_024_000,
    });
    expect(memoryReader(null, files({ ...V2, ...statm }), 65_536)()).toEqual({
      limit: { bytes: 1e6, source: 'cgroup_v2' },
      residentBytes: 16_384_000,
    });
  });

  it('has no reading where the system does not tell', () => {
    expect(memoryReader(null, files({}), 4096)()).toEqual({ limit: null, residentBytes: null });
    expect(memoryReader(null, files(statm), null)().residentBytes).toBeNull();
    expect(memoryReader(null, files({ '/proc/self/statm': 'x' }), 4096)().residentBytes).toBeNull();
  });

  it('agrees with the runtime about this very process', () => {
    const resident = memoryReader(null)().residentBytes ?? 0;
    expect(pageSizeBytes()).toBeGreaterThanOrEqual(4096);
    expect(Math.abs(resident / process.memoryUsage.rss() - 1)).toBeLessThan(0.5);
    expect(pageSizeFrom(Buffer.alloc(64))).toBeNull();
  });
});

describe('memory usage', () => {
  it('describes the container where its limit binds', () => {
    expect(memoryUsage(files(V2), host)).toEqual({ free: 5e5, used: 5e5, total: 1e6, percent: 50 });
  });

  it('describes the host otherwise', () => {
    const expected = { free: 1e9, used: 3e9, total: 4e9, percent: 75 };
    expect(memoryUsage(files({}), host)).toEqual(expected);
    expect(memoryUsage(files({ ...V2, '/sys/fs/cgroup/memory.max': '5000000000' }), host)).toEqual(expected);
  });

  it('says 0 percent of nothing', () => {
    expect(memoryUsage(files({}), () => ({ free: 0, total: 0 })).percent).toBe(0);
  });
});
