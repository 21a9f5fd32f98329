import { checked, text, type Field } from './field.js';
import { LinearPattern } from './linear-pattern.js';

/** Any text; whether it compiles is the caller's rule. */
const pattern: Field<LinearPattern> = {
  read(raw, path, report) {
    const source = text.read(raw, path, report);
    return source === undefined ? undefined : new LinearPattern(source);
  },
  write: (value) => value.source,
};

/** A pattern that compiles. */
export const compilingPattern: Field<LinearPattern> = checked(pattern, (value, path, report) => {
  const problem = value.problem();
  if (problem !== null) report.problem(path, `pattern does not compile: ${problem}`);
});

/** A pattern field that accepts an invalid pattern, which never matches, and reports it. */
export const tolerantPattern: Field<LinearPattern> = checked(pattern, (value, path, report) => {
  const problem = value.problem();
  if (problem !== null) report.warn(path, `pattern does not compile and matches nothing: ${problem}`);
});
