import type { Problem } from '../problem.js';

/** A member that no table of the record knows. */
export interface UnknownKey {
  readonly path: string;
  /** The known keys at this position, for a suggestion. */
  readonly knownKeys: readonly string[];
}

/** Collects everything found while one record is read, so that nothing stops at the first problem. */
export class Report {
  readonly problems: Problem[] = [];
  readonly warnings: Problem[] = [];
  readonly unknownKeys: UnknownKey[] = [];

  /** Reports a problem. Returns undefined, which a field returns for an invalid value. */
  problem(path: string, message: string): undefined {
    this.problems.push({ path, message });
  }

  warn(path: string, message: string): void {
    this.warnings.push({ path, message });
  }
}

/** Returns the type name for `expected {type}, got {type}`. Never the value itself, which may be secret. */
export function typeName(raw: unknown): string {
  if (raw === undefined) return 'nothing';
  if (raw === null) return 'null';
  if (Array.isArray(raw)) return 'list';
  if (typeof raw === 'number') return Number.isInteger(raw) ? 'integer' : 'float';
  return typeof raw === 'object' ? 'table' : typeof raw;
}
