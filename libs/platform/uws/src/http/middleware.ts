import type { HttpRequest } from './request.js';
import type { HttpResponse } from './response.js';

/** Passes the request to the next handler, or to the error layer if given an error. */
export type Next = (error?: unknown) => void;

/** A route handler or a middleware, as Nest registers them. May return a promise. */
export type Handler = (request: HttpRequest, response: HttpResponse, next: Next) => unknown;

interface Mounted {
  readonly segments: readonly string[];
  /** Whether longer paths are meant too. */
  readonly isPrefix: boolean;
  readonly handler: Handler;
}

/** Whether a segment is Nest's wildcard for the rest of the path, in old and new notation. */
const isRest = (segment: string): boolean => /^(\{?\*\w*\}?|\(\.\*\))$/.test(segment);

function segmentsOf(path: string): string[] {
  const trimmed = path.replace(/\$$/, '').replace(/^\/+|\/+$/g, '');
  return trimmed === '' ? [] : trimmed.split('/');
}

function covers(mounted: Mounted, path: readonly string[]): boolean {
  for (const [index, segment] of mounted.segments.entries()) {
    if (isRest(segment)) return true;
    const given = path[index];
    if (given === undefined || given === '') return false;
    if (!segment.startsWith(':') && segment !== given) return false;
  }
  return mounted.isPrefix || path.length === mounted.segments.length;
}

/** Middleware in order of registration, each for the paths it was mounted on. */
export class MiddlewareStack {
  readonly #mounted: Mounted[] = [];

  /** Mounts on a path (`/` is every path) and, as a prefix, on everything below it. */
  add(path: string, handler: Handler, isPrefix: boolean): void {
    this.#mounted.push({ segments: segmentsOf(path), isPrefix: isPrefix && !path.endsWith('$'), handler });
  }

  get isEmpty(): boolean {
    return this.#mounted.length === 0;
  }

  /** Returns the middleware of this path. */
  for(path: string): Handler[] {
    const segments = segmentsOf(path);
    return this.#mounted.filter((one) => covers(one, segments)).map((one) => one.handler);
  }
}
