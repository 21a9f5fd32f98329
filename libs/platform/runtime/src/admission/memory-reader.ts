import { containerMemory, readKernelText, type ReadText } from './cgroup.js';
import type { MemorySample } from './decision.js';
import { pageSizeBytes } from './page-size.js';

/** Looks at memory now. Must not throw. */
export type MemoryReader = () => MemorySample;

/**
 * Reads the limit (configured, else the container's) and the resident memory of this process. Not Linux, or
 * unreadable: null.
 */
export function memoryReader(
  configuredLimitBytes: number | null,
  read: ReadText = readKernelText,
  pageBytes: number | null = pageSizeBytes(),
): MemoryReader {
  return () => ({ limit: limit(configuredLimitBytes, read), residentBytes: resident(read, pageBytes) });
}

function limit(configuredBytes: number | null, read: ReadText): MemorySample['limit'] {
  if (configuredBytes !== null) return { bytes: configuredBytes, source: 'configured' };
  const container = containerMemory(read);
  return container === null ? null : { bytes: container.limitBytes, source: container.source };
}

function resident(read: ReadText, pageBytes: number | null): number | null {
  const pages = read('/proc/self/statm')?.split(' ')[1];
  if (pages === undefined || pageBytes === null || !/^\d+$/.test(pages)) return null;
  return Number(pages) * pageBytes;
}
