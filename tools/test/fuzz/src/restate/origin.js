// Section 1.3 of the WebSocket page, said once more and differently. Space around a pattern counts for nothing.

/** @param {string} source */
const tidy = (source) => source.trim().toLowerCase();

/** @param {string} origin */
const hostOf = (origin) => (origin.includes('://') ? origin.split('://').slice(1).join('://') : origin);

/** @param {string} source */
export function isOriginPattern(source) {
  const pattern = tidy(source);
  if (pattern === '' || pattern.split('*').length > 2) return false;
  if (pattern.includes('://')) {
    const [scheme, ...host] = pattern.split('://');
    return scheme !== '' && host.join('://') !== '';
  }
  return !pattern.startsWith('*.') || (pattern !== '*.' && !pattern.includes('..'));
}

/** @param {string} source a valid pattern @param {string} header */
export function originMatches(source, header) {
  const pattern = tidy(source);
  const origin = header.toLowerCase();
  if (pattern === '*' || pattern === 'any' || pattern === origin) return true;
  if (!pattern.includes('*')) return !pattern.includes('://') && hostOf(origin) === pattern;
  if (pattern.startsWith('*.') && !pattern.includes('://')) {
    const host = hostOf(origin);
    return host === pattern.slice(2) || host.endsWith(pattern.slice(1));
  }
  const [before = '', after = ''] = pattern.split('*');
  const middle = origin.slice(before.length, origin.length - after.length);
  return origin === before + middle + after && before.length + after.length <= origin.length;
}
