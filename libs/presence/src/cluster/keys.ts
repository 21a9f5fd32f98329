/** Kind of a shard: members of a place, subscriptions of channels, connections of an app. */
export type ShardKind = 'members' | 'quota' | 'subscriptions';

/** Subjects counted together, in one hash slot of the store and one atomic step. */
export interface ShardName {
  readonly kind: ShardKind;
  readonly appId: string;
  readonly name: string;
}

const KINDS: ReadonlyMap<string, ShardKind> = new Map([
  ['m', 'members'],
  ['q', 'quota'],
  ['s', 'subscriptions'],
]);

const escaped = (text: string, which: RegExp): string =>
  text.replaceAll(which, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
const unescaped = (text: string): string =>
  text.replaceAll(/%([0-9A-F]{2})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));

/** Encodes a shard name as a hash tag. */
export const shardTag = ({ kind, appId, name }: ShardName): string =>
  `${kind[0]}:${escaped(appId, /[%:{}]/g)}:${escaped(name, /[%{}]/g)}`;

/** Decodes a hash tag; null if this version does not know it. */
export function shardNamed(tag: string): ShardName | null {
  const [letter = '', appId, ...name] = tag.split(':');
  const kind = KINDS.get(letter);
  if (kind === undefined || appId === undefined || name.length === 0) return null;
  return { kind, appId: unescaped(appId), name: unescaped(name.join(':')) };
}

/** Keys of the store. All keys of a shard share a slot, and so do those of the nodes. */
export class Keys {
  constructor(private readonly prefix: string) {}

  /**
   * Keys of a shard: subjects with their records, holdings of one node, result of its last change, changes it has yet
   * to report.
   */
  shard(tag: string, nodeId: string): readonly [subjects: string, held: string, last: string, owed: string] {
    const root = `${this.prefix}cluster:v1:{${tag}}`;
    const own = (what: string): string => `${root}:${what}:${nodeId}`;
    return [`${root}:subjects`, own('held'), own('last'), own('owed')];
  }

  subjects(tag: string): string {
    return this.shard(tag, '')[0];
  }

  /** The shards of which a node may hold something. */
  index(nodeId: string): string {
    return `${this.prefix}cluster:v1:{${nodeId}}:index`;
  }

  /** Keys of the node registry: lease ends, claims of dead nodes, start of uninterrupted presence. */
  get registry(): readonly [nodes: string, reapers: string, watched: string] {
    const root = `${this.prefix}cluster:v1:{nodes}`;
    return [root, `${root}:reapers`, `${root}:watched`];
  }
}
