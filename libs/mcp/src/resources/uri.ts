/** A template as its fixed pieces and the names of its variables, `service://apps/{appId}/channels`. */
export interface UriTemplate {
  readonly text: string;
  readonly names: readonly string[];
  readonly pattern: RegExp;
}

const VARIABLE = /\{(\w+)\}/g;

export function uriTemplate(text: string): UriTemplate {
  const names = [...text.matchAll(VARIABLE)].map(([, name = '']) => name);
  return { text, names, pattern: new RegExp(`^${text.replaceAll(VARIABLE, '([^/?#]+)')}$`) };
}

/** The decoded variables of a URI; null: it is not of this template, or a variable is not what percent-encoding gives. */
export function variablesOf(
  { names, pattern }: UriTemplate,
  uri: string,
): Readonly<Record<string, string>> | null {
  const found = pattern.exec(uri);
  if (found === null) return null;
  try {
    return Object.fromEntries(names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? '')]));
  } catch {
    return null;
  }
}
