import type { Problem } from '../problem.js';
import type { Bound } from './node.js';

/** A bound that looks at the whole value; the message is null when the value is fine. */
export function bound<T>(text: string, message: (value: T) => string | null): Bound<T> {
  return {
    text,
    check: (value, path): readonly Problem[] => {
      const found = message(value);
      return found === null ? [] : [{ path, message: found }];
    },
  };
}

/** The same bound on every item of a list, each reported with its index. */
export function each<T>(inner: Bound<T>): Bound<readonly T[]> {
  return {
    text: `each: ${inner.text}`,
    check: (values, path) => values.flatMap((value, index) => inner.check(value, `${path}[${index}]`)),
  };
}

export const notEmpty: Bound<string | readonly unknown[]> = bound('not empty', (value) =>
  value.length === 0 ? 'must not be empty' : null,
);

export const matches = (pattern: RegExp, text: string): Bound<string> =>
  bound(text, (value) => (pattern.test(value) ? null : `must be ${text}`));

export const maxLength = (max: number): Bound<string> =>
  bound(`at most ${max} characters`, (value) =>
    value.length > max ? `must be at most ${max} characters` : null,
  );

export const subsetOf = (known: readonly string[]): Bound<readonly string[]> =>
  each(
    bound(`one of ${known.join(', ')}`, (value) =>
      known.includes(value) ? null : `must be one of ${known.join(', ')} (got "${value}")`,
    ),
  );

export const isUrl: Bound<string> = bound('a URL', (value) =>
  URL.canParse(value) && value.includes('://') ? null : 'must be a URL',
);

/** Names that end up inside statements of a database. */
export const identifier: Bound<string> = bound('an identifier', (value) =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(value) ? null : `invalid identifier "${value}"`,
);

export const dynamoName: Bound<string> = bound('an identifier, also with - and .', (value) =>
  /^[A-Za-z_][A-Za-z0-9_.-]*$/.test(value) ? null : `invalid identifier "${value}"`,
);
