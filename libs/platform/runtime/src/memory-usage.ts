import { freemem, totalmem } from 'node:os';
import { containerMemory, readKernelText, type ReadText } from './admission/cgroup.js';

/** Memory in bytes; `percent` is used of total, 0 when total is 0. */
export interface MemoryNumbers {
  readonly free: number;
  readonly used: number;
  readonly total: number;
  readonly percent: number;
}

export interface HostMemory {
  readonly free: number;
  readonly total: number;
}

const hostMemory = (): HostMemory => ({ free: freemem(), total: totalmem() });

/** The container's memory when its limit is finite and below the host's, else the host's. */
export function memoryUsage(
  read: ReadText = readKernelText,
  host: () => HostMemory = hostMemory,
): MemoryNumbers {
  const machine = host();
  const container = containerMemory(read);
  if (container === null || container.usedBytes === null || container.limitBytes > machine.total) {
    return numbers(machine.total - machine.free, machine.total);
  }
  return numbers(Math.min(container.usedBytes, container.limitBytes), container.limitBytes);
}

function numbers(used: number, total: number): MemoryNumbers {
  return { free: total - used, used, total, percent: total === 0 ? 0 : (used / total) * 100 };
}
