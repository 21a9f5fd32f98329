// Addresses: one URL per engine, or several joined by commas when it has several doors.

/** @typedef {{ host: string, port: number, user: string, password: string, path: string }} Address */

/** The environment variable that names an engine's address. @param {string} name */
export const variable = (name) => `CARILLON_ENGINE_${name.toUpperCase().replaceAll('-', '_')}`;

/** What stands before `host:port` where the environment gives no more, with the credentials of a fresh server. @type {Record<string, string>} */
const ORIGINS = { iggy: 'iggy+http://iggy:iggy@' };

/** The address the environment gives; null when it gives none. @param {string} name @returns {string | null} */
export function fromEnvironment(name) {
  const value = process.env[variable(name)];
  if (value === undefined || value === '') return null;
  return value.includes('://') ? value : `${ORIGINS[name] ?? ''}${value}`;
}

/** @param {string} url @returns {Address} of its first part */
export function parse(url) {
  const { hostname, port, username, password, pathname } = new URL(url.split(',')[0] ?? '');
  return {
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port),
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
    path: pathname.slice(1),
  };
}

/** The same server with another path: another database. @param {string} url @param {string} path */
export function withPath(url, path) {
  const changed = new URL(url);
  changed.pathname = `/${path}`;
  return changed.href;
}
