const PREFIX = '[meta]';

/** The channel that tells about another one. */
export const metaChannel = (base: string): string => `${PREFIX}${base}`;

/** The name after `[meta]`, which may be anything; null for every other name. */
export function metaBase(name: string): string | null {
  return name.startsWith(PREFIX) ? name.slice(PREFIX.length) : null;
}
