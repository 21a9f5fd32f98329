/** Severities of a log line, lowest first (spec 50 §6). */
export const LEVELS = ['trace', 'debug', 'info', 'warn', 'error'] as const;

export type Level = (typeof LEVELS)[number];

/** A filter's word: a level, or `off` for nothing at all. */
export type Threshold = Level | 'off';

/** Higher is more severe; a line is printed when its rank reaches that of the threshold. */
export function rank(level: Threshold): number {
  return level === 'off' ? LEVELS.length : LEVELS.indexOf(level);
}

export function isThreshold(word: string): word is Threshold {
  return word === 'off' || (LEVELS as readonly string[]).includes(word);
}
