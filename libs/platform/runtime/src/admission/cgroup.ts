import { readFileSync } from 'node:fs';

/** Text of a file, or null when it cannot be read. */
export type ReadText = (path: string) => string | null;

/** Reads from the kernel's pseudo files: small, in memory, safe to read without waiting. */
export const readKernelText: ReadText = (path) => {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
};

/** Version 1 writes "no limit" as a huge number. */
const NO_LIMIT_BYTES = 2 ** 60;

interface Hierarchy {
  readonly source: 'cgroup_v2' | 'cgroup_v1';
  readonly base: string;
  readonly limitFile: string;
  readonly usedFile: string;
  readonly inactive: RegExp;
}

const HIERARCHIES: readonly Hierarchy[] = [
  {
    source: 'cgroup_v2',
    base: '/sys/fs/cgroup',
    limitFile: 'memory.max',
    usedFile: 'memory.current',
    inactive: /^inactive_file (\d+)$/m,
  },
  {
    source: 'cgroup_v1',
    base: '/sys/fs/cgroup/memory',
    limitFile: 'memory.limit_in_bytes',
    usedFile: 'memory.usage_in_bytes',
    inactive: /^total_inactive_file (\d+)$/m,
  },
];

/** A finite memory limit of the container, its source, and the used amount (null if unreadable). */
export interface ContainerMemory {
  readonly source: 'cgroup_v2' | 'cgroup_v1';
  readonly limitBytes: number;
  /** Without file pages the kernel can drop at once. */
  readonly usedBytes: number | null;
}

/** Returns the limit of this process; null if none. Version 2 is read first. */
export function containerMemory(read: ReadText): ContainerMemory | null {
  for (const hierarchy of HIERARCHIES) {
    const found = smallestLimit(read, hierarchy);
    if (found !== null) return found;
  }
  return null;
}

/** A group's limit binds its children too, so the smallest on the way up to the root counts. */
function smallestLimit(read: ReadText, hierarchy: Hierarchy): ContainerMemory | null {
  let best: { folder: string; limitBytes: number } | null = null;
  for (const folder of folders(ownPath(read, hierarchy), hierarchy.base)) {
    const limitBytes = bytes(read(`${folder}/${hierarchy.limitFile}`));
    if (limitBytes === null || limitBytes >= NO_LIMIT_BYTES) continue;
    if (best === null || limitBytes < best.limitBytes) best = { folder, limitBytes };
  }
  if (best === null) return null;
  const used = bytes(read(`${best.folder}/${hierarchy.usedFile}`));
  const inactive = Number(read(`${best.folder}/memory.stat`)?.match(hierarchy.inactive)?.[1] ?? 0);
  return {
    source: hierarchy.source,
    limitBytes: best.limitBytes,
    usedBytes: used === null ? null : Math.max(0, used - inactive),
  };
}

/** Returns the group of this process inside the hierarchy; the root if unknown. */
function ownPath(read: ReadText, { source }: Hierarchy): string {
  for (const line of (read('/proc/self/cgroup') ?? '').split('\n')) {
    const [, controllers = '', path = ''] = line.match(/^\d+:([^:]*):(.*)$/) ?? [];
    const own = source === 'cgroup_v2' ? controllers === '' : controllers.split(',').includes('memory');
    if (own && path.startsWith('/') && !path.includes('..')) return path;
  }
  return '/';
}

/** The folder of a path and those of all its parents, up to the base itself. */
function folders(path: string, base: string): string[] {
  const names = path.split('/').filter((name) => name !== '');
  return Array.from({ length: names.length + 1 }, (_, left) =>
    [base, ...names.slice(0, names.length - left)].join('/'),
  );
}

/** A number of bytes; null for `max`, nonsense or nothing. */
function bytes(text: string | null): number | null {
  const trimmed = text?.trim() ?? '';
  return /^\d+$/.test(trimmed) ? Number(trimmed) : null;
}
