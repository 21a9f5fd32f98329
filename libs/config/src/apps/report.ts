import type { Problem } from '../problem.js';

/** A member that no table of the record knows. */
export interface UnknownKey {
  readonly path: string;
  /** The names known where it stands, for a suggestion. */
  readonly knownKeys: readonly string[];
}

/** Collects everything found while one record is read, so that nothing stops at the first problem. */
export class Report {
  readonly problems: Problem[] = [];
  readonly warnings: Problem[] = [];
  readonly unknownKeys: UnknownKey[] = [];

  /** Returns undefined, which is what a field answers when its value is not usable. */
  problem(path: string, message: string): undefined {
    this.problems.push({ path, message });
  }

  warn(path: string, message: string): void {
    this.warnings.push({ path, message });
  }
}

/** What a value is called in `expected {type}, got {type}`. Never the value itself, which may be secret. */
export function typeName(raw: unknown): string {
  if (raw === undefined) return 'nothing';
  if (raw === null) return 'null';
  if (Array.isArray(raw)) return 'list';
  if (typeof raw === 'number') return Number.isInteger(raw) ? 'integer' : 'float';
  return typeof raw === 'object' ? 'table' : typeof raw;
}
