/** Method, path as on the wire without one trailing slash, and decoded query, one a line. */
export function stringToSign(method: string, rawPath: string, canonicalQuery: string): string {
  return `${method.toUpperCase()}\n${withoutTrailingSlash(rawPath)}\n${canonicalQuery}`;
}

function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
