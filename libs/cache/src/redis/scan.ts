import type { RedisLink } from '@carillon/redis';
import { invalidCursor } from '../arguments.js';
import { CacheUnavailable } from '../failures.js';

/** Result of one scan step and its next cursor; null: end. */
interface ScanStep {
  readonly keys: readonly string[];
  readonly cursor: string | null;
}

/** Generation of the link, index of the server, cursor of that server. */
const CURSOR = /^(\d{1,15})-(\d{1,5})-(\d{1,20})$/;

/** A text that a glob pattern takes as it is. */
const literal = (text: string): string => text.replaceAll(/[*?[\]\\]/g, '\\$&');

interface Place {
  readonly generation: number;
  readonly server: number;
  readonly cursor: string;
}

function parse(cursor: string | null, generation: number): Place {
  if (cursor === null) return { generation, server: 0, cursor: '0' };
  const [, of, server, at] = CURSOR.exec(cursor) ?? [];
  if (of === undefined || server === undefined || at === undefined) throw invalidCursor(cursor);
  return { generation: Number(of), server: Number(server), cursor: at };
}

/**
 * One step over all servers that hold data, one server after the other. A server's cursor means nothing to another
 * one, so when a server took the place of another meanwhile the scan rejects and has to begin again.
 */
export async function scanStep(
  link: RedisLink,
  prefix: string,
  cursor: string | null,
  limit: number,
): Promise<ScanStep> {
  const given = cursor === null ? null : parse(cursor, 0);
  const servers = await link.masters();
  const place = given ?? parse(null, link.generation);
  const server = servers[place.server];
  if (place.generation !== link.generation || server === undefined) {
    throw new CacheUnavailable('The cache moved during the scan, begin again');
  }
  const reply = await server('scan', place.cursor, 'match', `${literal(prefix)}*`, 'count', limit);
  const [next, keys] = reply as [string, string[]];
  return { keys, cursor: follow(place, next, servers.length) };
}

function follow({ generation, server }: Place, next: string, servers: number): string | null {
  if (next !== '0') return `${generation}-${server}-${next}`;
  return server + 1 < servers ? `${generation}-${server + 1}-0` : null;
}
