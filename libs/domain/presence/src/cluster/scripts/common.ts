import { createHash } from 'node:crypto';

/** A Lua script over keys of one slot, in one atomic step. */
export interface ClusterScript {
  readonly lua: string;
  /** What the server calls it once it knows it. */
  readonly sha1: string;
}

export function clusterScript(...parts: readonly string[]): ClusterScript {
  const lua = parts.join('\n');
  return { lua, sha1: createHash('sha1').update(lua).digest('hex') };
}

/** The clock of the server, the only one all nodes share. ARGV[1]: milliseconds to add to it. */
export const NOW = `
local time = redis.call('TIME')
local now_us = time[1] * 1000000 + time[2] + tonumber(ARGV[1]) * 1000
local now = math.floor(now_us / 1000)
local function whole(number) return string.format('%.0f', number) end`;

/**
 * What is known of a subject: how much of it all nodes hold together, its place in the order of coming, and, while
 * nobody holds it and a lease keeps it, until when, on which node the lease hangs and why the last holder went.
 * Needs: subjects, whole.
 */
export const SUBJECT = `
local function read(subject)
  local text = redis.call('HGET', subjects, subject)
  if not text then return nil end
  local total, order, lease_until, lease_node, cause, payload =
    string.match(text, '^(%d+):([%d.]+):(%d*):([^:]*):([^:]*):(.*)$')
  if not total then return nil end
  return { total = tonumber(total), order = order, lease_until = tonumber(lease_until), lease_node = lease_node,
    cause = cause, payload = payload }
end
local function write(subject, total, order, payload, lease_until, lease_node, cause)
  local lease = lease_until and whole(lease_until) .. ':' .. lease_node .. ':' .. cause or '::'
  redis.call('HSET', subjects, subject, whole(total) .. ':' .. order .. ':' .. lease .. ':' .. payload)
end`;
