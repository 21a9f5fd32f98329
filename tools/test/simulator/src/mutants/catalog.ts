import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Fault } from '../plan/fault-classes.js';

/** A planted defect of production code that an invariant must find. */
export interface Mutant {
  readonly name: string;
  readonly core: string;
  readonly promise: string;
  readonly fault: Fault;
  /** Seed that finds it. */
  readonly seed: number;
  readonly what: string;
  /** Unified diff, paths from the root of the repository. */
  readonly diff: string;
  /** Folders of the packages that it changes. */
  readonly packages: readonly string[];
}

/** Reads all `mutants/*.diff`; throws for one whose header is incomplete. */
export function mutants(folder: string): readonly Mutant[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.diff'))
    .sort()
    .map((file) => mutantOf(file.slice(0, -'.diff'.length), readFileSync(join(folder, file), 'utf8')));
}

function mutantOf(name: string, text: string): Mutant {
  const header = (field: string): string => {
    const value = new RegExp(`^${field}: (.+)$`, 'm').exec(text)?.[1];
    if (value === undefined) throw new Error(`mutant ${name} has no line "${field}:"`);
    return value;
  };
  const diff = text.slice(text.indexOf('--- '));
  const packages = new Set(
    [...diff.matchAll(/^\+\+\+ b\/(libs\/.+?)\/src\//gm)].map((found) => found[1] ?? ''),
  );
  if (packages.size === 0) throw new Error(`mutant ${name} changes no package`);
  const fault = header('fault') as Fault;
  const [core, promise, what] = [header('core'), header('promise'), header('what')];
  return { name, core, promise, fault, seed: Number(header('seed')), what, diff, packages: [...packages] };
}
