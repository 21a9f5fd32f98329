-- What is known of a subject: how much of it all nodes hold together, its place in the order of coming, and, while
-- nobody holds it and a lease keeps it, until when, on which node the lease hangs and why the last holder went.
-- Its place tells too by which holder it came.
-- Needs `subjects`, `whole`.

local function read(subject)
  local text = redis.call('HGET', subjects, subject)
  if not text then return nil end
  local total, order, lease_until, lease_node, cause, payload =
    string.match(text, '^(%d+):([%d.]+):(%d*):([^:]*):([^:]*):(.*)$')
  if not total then return nil end
  return { total = tonumber(total), order = order, lease_until = tonumber(lease_until), lease_node = lease_node,
    cause = cause, payload = payload }
end

local function came_by(known) return known and string.match(known.order, '^%d+%.%d+%.(.+)$') or '' end

local function write(subject, total, order, payload, lease_until, lease_node, cause)
  local lease = lease_until and whole(lease_until) .. ':' .. lease_node .. ':' .. cause or '::'
  redis.call('HSET', subjects, subject, whole(total) .. ':' .. order .. ':' .. lease .. ':' .. payload)
end
