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

/** Returns the decoded variables of a URI; null if it does not match or is not valid percent-encoding. */
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
