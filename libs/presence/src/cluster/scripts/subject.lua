-- What is known of a subject: how much of it all nodes hold together, its place in the order of coming, and, while
-- nobody holds it and a lease keeps it, until when, on which node the lease hangs and why the last holder went.
-- Its place tells too by which holder it came. While no lease keeps it, its version stands in place of the cause: the serial
-- of the change by which its payload became known, '' where that is unknown (after a lease, or of an older process).
-- Needs `subjects`, `whole`.

local function read(subject)
  local text = redis.call('HGET', subjects, subject)
  if not text then return nil end
  local total, order, lease_until, lease_node, cause, payload =
    string.match(text, '^(%d+):([%d.]+):(%d*):([^:]*):([^:]*):(.*)$')
  if not total then return nil end
  local is_leased = lease_until ~= ''
  return { total = tonumber(total), order = order, lease_until = tonumber(lease_until), lease_node = lease_node,
    cause = cause, payload = payload, version = not is_leased and string.match(cause, '^%d+$') or '' }
end

local function came_by(known) return known and string.match(known.order, '^%d+%.%d+%.(.+)$') or '' end

local function put(subject, total, order, lease, payload)
  redis.call('HSET', subjects, subject, whole(total) .. ':' .. order .. ':' .. lease .. ':' .. payload)
end

local function write(subject, total, order, payload, version) put(subject, total, order, '::' .. version, payload) end

local function write_leased(subject, order, payload, lease_until, lease_node, cause)
  put(subject, 0, order, whole(lease_until) .. ':' .. lease_node .. ':' .. cause, payload)
end
