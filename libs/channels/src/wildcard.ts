import { hasWildcardCharacters } from './characters.js';

/** A subscription to every public channel whose name starts and ends with these texts. */
export interface Wildcard {
  /** Text before the `*`; may be empty. */
  readonly before: string;
  /** Text after the `*`; may be empty. */
  readonly after: string;
}

/** Whether the name is a pattern, possibly malformed. */
export const isWildcard = (name: string): boolean => name.includes('*');

/** Null when malformed: not exactly one `*`, another character than patterns have, or meant for protected channels. */
export function parseWildcard(name: string): Wildcard | null {
  const [before, after, ...more] = name.split('*');
  if (before === undefined || after === undefined || more.length > 0) return null;
  if (!hasWildcardCharacters(name)) return null;
  return before.startsWith('private-') || before.startsWith('presence-') ? null : { before, after };
}

/** Whether the texts match both ends without overlapping. Implies no access to the channel. */
export function wildcardFits({ before, after }: Wildcard, name: string): boolean {
  return name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
}
