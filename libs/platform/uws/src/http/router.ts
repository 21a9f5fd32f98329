/** A handler found for a path and a method. */
export interface Match<Target> {
  readonly target: Target;
  /** The path as it was registered, for metrics and logs: a bounded set, unlike paths. */
  readonly template: string;
  /** Undecoded parameter segments in order of {@link names}. */
  readonly values: readonly string[];
  readonly names: readonly string[];
}

interface Route<Target> {
  readonly target: Target;
  readonly template: string;
  readonly names: readonly string[];
}

const NOTHING: readonly string[] = [];

/** One place in the tree of segments. */
interface Place<Target> {
  readonly fixed: Map<string, Place<Target>>;
  /** Child for any one non-empty segment. */
  parameter: Place<Target> | null;
  /** Routes for any rest of the path, by method. */
  readonly rest: Map<string, Route<Target>>;
  readonly routes: Map<string, Route<Target>>;
}

const place = <Target>(): Place<Target> => ({
  fixed: new Map(),
  parameter: null,
  rest: new Map(),
  routes: new Map(),
});

const isRest = (segment: string): boolean => segment.startsWith('*') || segment.startsWith('{*');
const restName = (segment: string): string => segment.replaceAll(/[{}*]/g, '') || '*';

/** A segment of a registered path: fixed text, a parameter, or the rest at the end. */
function checkSegments(path: string, segments: readonly string[]): void {
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    const valid = isRest(segment)
      ? isLast && /^(\*\w*|\{\*\w*\})$/.test(segment)
      : /^(:\w+|[^:*{}()?+\s]*)$/.test(segment);
    if (!valid) throw new Error(`route ${path}: the segment ${segment} is not supported`);
  }
}

/** The path without its one ignored trailing slash. */
export function withoutTrailingSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/**
 * Finds handlers by path and method. A path is fixed segments, `:name` for one non-empty segment, and at its end
 * `*name` or `{*name}` for the rest. Fixed segments win over parameters, parameters over a rest; among equals the
 * first registered. Paths are compared as they are on the wire: case matters and escapes are not decoded.
 */
export class Router<Target> {
  readonly #root = place<Target>();
  /** Paths without parameters, by method: found without walking, and without making anything. */
  readonly #fixed = new Map<string, Map<string, Match<Target>>>();

  /**
   * False, and nothing changes, when that path and method already have a target.
   *
   * @throws Error when the path uses syntax other than the three kinds of segments.
   */
  add(method: string, path: string, target: Target): boolean {
    const template = withoutTrailingSlash(path);
    const names: string[] = [];
    let at = this.#root;
    const segments = template.slice(1).split('/');
    checkSegments(path, segments);
    for (const segment of segments) {
      if (isRest(segment)) {
        names.push(restName(segment));
        return put(at.rest, method, { target, template, names });
      }
      at = segment.startsWith(':') ? parameterOf(at, names, segment) : fixedOf(at, segment);
    }
    if (!put(at.routes, method, { target, template, names })) return false;
    if (names.length > 0) return true;
    const paths = this.#fixed.get(method) ?? new Map<string, Match<Target>>();
    this.#fixed.set(method, paths.set(template, { target, template, names, values: NOTHING }));
    return true;
  }

  /** `path` is raw and without query and trailing slash. Null: nothing answers this path with this method. */
  find(method: string, path: string): Match<Target> | null {
    const fixed = this.#fixed.get(method)?.get(path);
    if (fixed !== undefined) return fixed;
    return walk(this.#root, path.slice(1).split('/'), 0, NOTHING, method);
  }

  /** The methods that do answer the path, sorted; none when there is no such path. */
  methods(path: string): string[] {
    const found = new Set<string>();
    collect(this.#root, path.slice(1).split('/'), 0, found);
    return [...found].sort();
  }
}

function put<Target>(routes: Map<string, Route<Target>>, method: string, route: Route<Target>): boolean {
  if (routes.has(method)) return false;
  routes.set(method, route);
  return true;
}

function fixedOf<Target>(at: Place<Target>, segment: string): Place<Target> {
  const next = at.fixed.get(segment) ?? place<Target>();
  at.fixed.set(segment, next);
  return next;
}

function parameterOf<Target>(at: Place<Target>, names: string[], segment: string): Place<Target> {
  names.push(segment.slice(1));
  at.parameter ??= place<Target>();
  return at.parameter;
}

function matchOf<Target>(route: Route<Target>, values: readonly string[]): Match<Target> {
  return { target: route.target, template: route.template, names: route.names, values };
}

function walk<Target>(
  at: Place<Target>,
  segments: readonly string[],
  index: number,
  values: readonly string[],
  method: string,
): Match<Target> | null {
  const segment = segments[index];
  if (segment === undefined) {
    const route = at.routes.get(method) ?? at.rest.get(method);
    if (route === undefined) return null;
    return matchOf(route, route.names.length > values.length ? [...values, ''] : values);
  }
  const next = at.fixed.get(segment);
  const exact = next === undefined ? null : walk(next, segments, index + 1, values, method);
  if (exact !== null) return exact;
  if (at.parameter !== null && segment !== '') {
    const found = walk(at.parameter, segments, index + 1, [...values, segment], method);
    if (found !== null) return found;
  }
  const rest = at.rest.get(method);
  return rest === undefined ? null : matchOf(rest, [...values, segments.slice(index).join('/')]);
}

function collect<Target>(
  at: Place<Target>,
  segments: readonly string[],
  index: number,
  found: Set<string>,
): void {
  const segment = segments[index];
  for (const method of at.rest.keys()) found.add(method);
  if (segment === undefined) {
    for (const method of at.routes.keys()) found.add(method);
    return;
  }
  const next = at.fixed.get(segment);
  if (next !== undefined) collect(next, segments, index + 1, found);
  if (at.parameter !== null && segment !== '') collect(at.parameter, segments, index + 1, found);
}
