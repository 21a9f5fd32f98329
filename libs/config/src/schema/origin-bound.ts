import { bound, type Bound } from '../kernel/index.js';
import { parseOriginPattern } from '../origin-pattern.js';

/** An origin pattern that can match something. */
export const originPattern: Bound<string> = bound('an origin pattern', (value) => {
  const parsed = parseOriginPattern(value);
  return 'message' in parsed ? parsed.message : null;
});
