import { NOW, OWNS, WHOLE } from '../functions.js';
import { queueScript } from '../script.js';

/**
 * Renews leases.
 *
 * Guarantee: a lease is renewed only for the delivery that holds the job, even when its time was over and nobody else
 * has come yet.
 *
 * Arguments: per job its id and token. Answer: the places of those that are lost.
 */
export const RENEW = queueScript({
  parts: ['active', 'tokens'],
  settings: ['lease_duration_ms'],
  uses: [NOW, WHOLE, OWNS],
  body: `
local until_ms = whole(now_ms() + lease_duration_ms)
local lost = {}
for at = 1, (#ARGV - 1) / 2 do
  local id = arg(at * 2 - 1)
  if owns(id, arg(at * 2)) then
    redis.call('ZADD', active, until_ms, id)
  else
    lost[#lost + 1] = at
  end
end
return lost`,
});
