import { APPEND, BURY, FORGET_DEAD, NOW, OWNS, RECORD, TAKE_BACK, WHOLE } from '../functions.js';
import { queueScript } from '../script.js';

/**
 * Makes a job a dead letter at once.
 *
 * Guarantee: only the delivery that holds the job gives it up; from another one nothing changes.
 *
 * Arguments: id, token, reason. Answer: 'dead' or 'lost'.
 */
export const GIVE_UP = queueScript({
  parts: [
    'jobs',
    'active',
    'begun',
    'tokens',
    'attempts',
    'max-attempts',
    'dlq',
    'failures',
    'dedup-keys',
    'events',
  ],
  settings: ['event_retention', 'failed_retention'],
  uses: [NOW, WHOLE, RECORD, APPEND, TAKE_BACK, OWNS, FORGET_DEAD, BURY],
  body: `
local id, token, reason = arg(1), arg(2), arg(3)
if not owns(id, token) then return 'lost' end
bury(id, reason, '', now_ms())
take_back(id)
return 'dead'`,
});
