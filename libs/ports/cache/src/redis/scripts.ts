import { redisScript } from '@carillon/redis';

/**
 * KEYS[1] entry. Answers its value and its time left in ms (-1: it does not expire) as of one moment; false when there
 * is none.
 */
export const READ_ENTRY = redisScript(`
local value = redis.call('GET', KEYS[1])
if not value then return false end
return { value, redis.call('PTTL', KEYS[1]) }
`);

/**
 * KEYS[1] entry; ARGV expected value, new value, ttl in ms (0: none). Writes the new value with its ttl only if the
 * value is the expected one; answers 1 when it did. Of many that expect the same value, one succeeds.
 */
export const COMPARE_AND_SWAP = redisScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
if ARGV[3] == '0' then
  redis.call('SET', KEYS[1], ARGV[2])
else
  redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
end
return 1
`);

/** KEYS[1] entry; ARGV expected value. Removes it only if the value is the expected one; answers 1 when it did. */
export const COMPARE_AND_REMOVE = redisScript(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
`);

/**
 * KEYS[1] counter; ARGV amount, ttl in ms (0: none). Adds and answers the sum as text; a counter that was absent begins at 0 and
 * gets the ttl, an existing one keeps its own. Answers false and changes nothing when the value is not an integer in
 * its plain form, or the sum is beyond what a double holds exactly.
 */
export const INCREMENT_BY = redisScript(`
local value = redis.call('GET', KEYS[1])
if value and value ~= '0' and not string.match(value, '^%-?[1-9]%d*$') then return false end
local before = tonumber(value or '0')
local sum = before + tonumber(ARGV[1])
local most = 9007199254740991
if math.abs(before) > most or math.abs(sum) > most then return false end
if value then
  redis.call('INCRBY', KEYS[1], ARGV[1])
elseif ARGV[2] == '0' then
  redis.call('SET', KEYS[1], ARGV[1])
else
  redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
end
return string.format('%.0f', sum)
`);
