-- Lines up ready jobs by start-time fair queueing: jobs of one owner keep their order, and owners alternate. Each job is in
-- a round: the current one (of the first job in line), or the one after the last round of its owner. Within a round jobs
-- are in order of adding. O(log n), however many owners wait. Needs: owners, turns, last_turns, whole.
local MOST_IN_ROUND = 1048576

local function first_turn() return tonumber(redis.call('ZRANGE', turns, 0, 0, 'WITHSCORES')[2]) end

local function start_of_round(turn) return math.floor(turn / MOST_IN_ROUND) * MOST_IN_ROUND end

local function owner_of(id) return redis.call('HGET', owners, id) or '' end

local function line_up(id)
  local owner = owner_of(id)
  local last = tonumber(redis.call('ZSCORE', last_turns, owner))
  local start = start_of_round(first_turn() or 0)
  if last then start = math.max(start, start_of_round(last) + MOST_IN_ROUND) end
  local stop = '(' .. whole(start + MOST_IN_ROUND)
  local newest = redis.call('ZREVRANGEBYSCORE', turns, stop, whole(start), 'WITHSCORES', 'LIMIT', 0, 1)[2]
  local turn = newest and tonumber(newest) + 1 or start
  redis.call('ZADD', turns, whole(turn), id)
  redis.call('ZADD', last_turns, whole(turn), owner)
end

-- Lines up a job before all others.
local function line_up_first(id)
  local first = first_turn()
  local turn = first and first - 1 or 0
  redis.call('ZADD', turns, whole(turn), id)
  local owner = owner_of(id)
  local last = tonumber(redis.call('ZSCORE', last_turns, owner))
  if not last or last < turn then redis.call('ZADD', last_turns, whole(turn), owner) end
end

-- Forgets the rounds of owners that are over: such an owner has no job in line. Amortized O(log n).
local function forget_turns()
  local first = first_turn()
  if first then redis.call('ZREMRANGEBYSCORE', last_turns, '-inf', '(' .. whole(start_of_round(first))) end
end
