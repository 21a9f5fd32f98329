/** Source of the memory limit. */
export type LimitSource = 'configured' | 'cgroup_v2' | 'cgroup_v1' | 'unavailable';

/** State of the memory monitor. */
export type MonitorState = 'DISABLED' | 'UNAVAILABLE' | 'AVAILABLE' | 'SHEDDING';

/** One look at memory: null where nothing could be read. */
export interface MemorySample {
  readonly limit: { readonly bytes: number; readonly source: LimitSource } | null;
  readonly residentBytes: number | null;
}

export interface Decision {
  readonly monitor: MonitorState;
  readonly source: LimitSource;
}

/** Decides by one sample. There is no hysteresis, and without a limit or a reading connections are admitted. */
export function decide(memoryThreshold: number, { limit, residentBytes }: MemorySample): Decision {
  if (limit === null) return { monitor: 'UNAVAILABLE', source: 'unavailable' };
  if (residentBytes === null) return { monitor: 'UNAVAILABLE', source: limit.source };
  const shedding = residentBytes >= memoryThreshold * limit.bytes;
  return { monitor: shedding ? 'SHEDDING' : 'AVAILABLE', source: limit.source };
}

/** The answer while the feature is off. */
export const DISABLED: Decision = { monitor: 'DISABLED', source: 'unavailable' };
