/** Routes that clients and servers of apps use. */
const OF_APPS = /^\/apps?(?:\/|$)/;

/** What stands in front of the routes of apps on the wire, and of nothing else: probes stay where they are. */
export class PathPrefix {
  readonly #prefix: string;

  /** A trailing slash says nothing; `/`, like nothing at all, is no prefix. */
  constructor(prefix = '') {
    this.#prefix = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
  }

  /** The path by which the route of a request is found; null: no route is there. */
  routed(path: string): string | null {
    const prefix = this.#prefix;
    if (prefix === '') return path;
    if (path.startsWith(prefix)) {
      const rest = path.slice(prefix.length);
      if (OF_APPS.test(rest)) return rest;
    }
    return OF_APPS.test(path) ? null : path;
  }

  /** Where a route is on the wire. */
  placed(route: string): string {
    return OF_APPS.test(route) ? `${this.#prefix}${route}` : route;
  }
}
