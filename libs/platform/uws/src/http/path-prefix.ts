/** Routes that clients and servers of apps use. */
const OF_APPS = /^\/apps?(?:\/|$)/;

/** Prefix of the routes of apps, and of no others: probes keep their paths. */
export class PathPrefix {
  readonly #prefix: string;

  /** A trailing slash is ignored; `/` and an empty text mean no prefix. */
  constructor(prefix = '') {
    this.#prefix = prefix.endsWith('/') ? prefix.slice(0, -1) : prefix;
  }

  /** Returns the path of a request without the prefix; null: not below the prefix. */
  routed(path: string): string | null {
    const prefix = this.#prefix;
    if (prefix === '') return path;
    if (path.startsWith(prefix)) {
      const rest = path.slice(prefix.length);
      if (OF_APPS.test(rest)) return rest;
    }
    return OF_APPS.test(path) ? null : path;
  }

  /** Returns the full path of a route. */
  placed(route: string): string {
    return OF_APPS.test(route) ? `${this.#prefix}${route}` : route;
  }
}
