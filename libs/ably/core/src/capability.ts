import { CompatError } from './compat-error.js';
import { isObject, parseJson } from './json.js';

const OPERATIONS: ReadonlySet<string> = new Set([
  '*',
  'annotation-delete-any',
  'annotation-delete-own',
  'annotation-publish',
  'annotation-subscribe',
  'channel-metadata',
  'history',
  'message-append-any',
  'message-append-own',
  'message-delete-any',
  'message-delete-own',
  'message-update-any',
  'message-update-own',
  'object-publish',
  'object-subscribe',
  'presence',
  'privileged-headers',
  'publish',
  'push-admin',
  'push-subscribe',
  'stats',
  'subscribe',
]);

/** Operations that are granted app-wide, regardless of the pattern that lists them. */
const UNBOUND: ReadonlySet<string> = new Set(['push-admin', 'stats']);

type Grants = ReadonlyMap<string, readonly string[]>;

/** The capability of a credential: operations by channel pattern. */
export class Capability {
  static readonly everything = new Capability(new Map([['*', ['*']]]));

  constructor(readonly grants: Grants) {}

  /**
   * Parses the JSON text of a capability.
   *
   * @throws CompatError 40000 if it is invalid.
   */
  static parse(text: string): Capability {
    const value = parseJson(text);
    if (!isObject(value)) throw wrong('must be a JSON object');
    return new Capability(new Map(Object.entries(value).map(([key, list]) => [key, operations(list)])));
  }

  /** Whether it grants this on the channel, whose name is the one without qualifier. */
  allows(operation: string, channel: string): boolean {
    return this.onChannel(channel).some((one) => one === '*' || one === operation);
  }

  /** Everything that it grants on the channel. */
  onChannel(channel: string): readonly string[] {
    return [...this.grants].flatMap(([pattern, list]) => (covers(pattern, channel) ? list : []));
  }

  /** Whether it grants an operation that is not bound to a channel. */
  allowsAnywhere(operation: string): boolean {
    return [...this.grants].some(
      ([key, list]) => list.includes(operation) || (plain(key) === '*' && list.includes('*')),
    );
  }

  /** Returns the part of a requested capability that a key with this one may grant. A broad request is narrowed. */
  narrow(requested: Capability): Capability {
    const granted = new Map<string, readonly string[]>();
    for (const [pattern, asked] of requested.grants) {
      // A wildcard on some channels does not grant operations that are not bound to channels.
      const list = asked.filter((one) => !UNBOUND.has(one) || this.allowsAnywhere(one));
      const covering = [...this.grants].filter(([key]) => key === pattern || covers(key, plain(pattern)));
      add(
        granted,
        pattern,
        common(
          list,
          covering.flatMap(([, own]) => own),
        ),
      );
      for (const [key, own] of this.grants) {
        const isNarrower = key !== pattern && !covers(key, plain(pattern)) && covers(pattern, plain(key));
        if (isNarrower) add(granted, key, common(list, own));
      }
    }
    return new Capability(granted);
  }

  get isEmpty(): boolean {
    return this.grants.size === 0;
  }

  /** Returns the JSON text, with the operations of each pattern in alphabetical order. */
  toString(): string {
    const sorted = [...this.grants].map(([pattern, list]) => [pattern, [...list].sort()] as const);
    return JSON.stringify(Object.fromEntries(sorted));
  }
}

const wrong = (text: string): CompatError => new CompatError(40_000, `capability ${text}`);

function operations(list: unknown): readonly string[] {
  if (!Array.isArray(list) || list.length === 0) throw wrong('must list operations');
  if (!list.every((one): one is string => typeof one === 'string' && OPERATIONS.has(one)))
    throw wrong('names an unknown operation');
  if (list.includes('*') && list.length > 1) throw wrong('mixes * with others');
  return list;
}

/** Strips the prefix that includes qualified names; every pattern includes them. */
const plain = (written: string): string => (written.startsWith('[*]') ? written.slice(3) : written);

function covers(written: string, name: string): boolean {
  const pattern = plain(written);
  if (pattern === '*' || pattern === name) return true;
  const star = pattern.indexOf('*');
  if (star < 0 || pattern.includes('*', star + 1)) return false;
  const tail = pattern.slice(star + 1);
  return name.length >= pattern.length - 1 && name.startsWith(pattern.slice(0, star)) && name.endsWith(tail);
}

/** Returns the intersection; if one side is a wildcard, the list of the other. */
function common(list: readonly string[], own: readonly string[]): readonly string[] {
  if (own.includes('*')) return list;
  if (list.includes('*')) return [...new Set(own)];
  return list.filter((one) => own.includes(one));
}

function add(granted: Map<string, readonly string[]>, pattern: string, list: readonly string[]): void {
  if (list.length > 0) granted.set(pattern, [...new Set([...(granted.get(pattern) ?? []), ...list])]);
}
