import { isThreshold, type Threshold } from './levels.js';

/** Selects printed lines by target. */
export interface LogFilter {
  /** For targets no other entry names. */
  readonly otherwise: Threshold;
  readonly byTarget: ReadonlyMap<string, Threshold>;
}

const TARGET = /^[A-Za-z0-9_-]+(::[A-Za-z0-9_-]+)*$/;

/**
 * Reads a comma list of `level` or `target=level`. A bad item is skipped with a warning; the last of two items for
 * one target counts. Without a bare level, targets not named print errors only. Null when no item is usable.
 */
export function parseFilter(text: string): { filter: LogFilter | null; warnings: string[] } {
  const byTarget = new Map<string, Threshold>();
  const warnings: string[] = [];
  let otherwise: Threshold | null = null;
  for (const raw of text.split(',')) {
    const item = raw.trim();
    if (item === '') continue;
    const [left = '', right, ...more] = item.split('=').map((part) => part.trim());
    const level = (right ?? left).toLowerCase();
    if (more.length > 0 || !isThreshold(level) || (right !== undefined && !TARGET.test(left))) {
      warnings.push(`log filter item skipped: "${item}" is neither a level nor target=level`);
    } else if (right === undefined) otherwise = level;
    else byTarget.set(left, level);
  }
  const usable = otherwise !== null || byTarget.size > 0;
  return { filter: usable ? { otherwise: otherwise ?? 'error', byTarget } : null, warnings };
}

/** The threshold of a target: the longest entry that is the target or one of its parents wins. */
export function thresholdFor(filter: LogFilter, target: string): Threshold {
  let name = target;
  for (;;) {
    const found = filter.byTarget.get(name);
    if (found !== undefined) return found;
    const cut = name.lastIndexOf('::');
    if (cut < 0) return filter.otherwise;
    name = name.slice(0, cut);
  }
}
