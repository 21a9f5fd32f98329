import type { Env } from './environment.js';

export interface Interpolated {
  readonly text: string;
  /** Names without a value and without a default, sorted, each once. */
  readonly unresolved: readonly string[];
}

const TOKEN = /\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;

/**
 * Replaces `${NAME}` and `${NAME:-default}` in one pass over the raw text, comments included. Substituted text is not
 * interpolated again. An empty variable counts as unset, a blank one does not.
 */
export function interpolate(raw: string, env: Env): Interpolated {
  const unresolved = new Set<string>();
  const text = raw.replace(TOKEN, (token, name: string, fallback: string | undefined) => {
    const value = Object.hasOwn(env, name) ? env[name] : undefined;
    if (value !== undefined && value !== '') return value;
    if (fallback !== undefined) return fallback;
    unresolved.add(name);
    return token;
  });
  return { text, unresolved: [...unresolved].sort() };
}
