import { queueScript } from './script.js';

// Every transition of a queue. The head of each file documents guarantees, parameters and result. A job is written to
// its destination before it is removed from its source: a script that fails half-way, because of a foreign value
// under a key, may deliver a job twice but never lose it.
export const ACKNOWLEDGE = queueScript('acknowledge');
export const CLAIM = queueScript('claim');
export const DEFER = queueScript('defer');
export const ENQUEUE = queueScript('enqueue');
export const FAIL_DELIVERY = queueScript('fail');
export const GIVE_UP = queueScript('give-up');
export const LIST_DEAD = queueScript('list-dead');
export const RELEASE = queueScript('release');
export const REMOVE_DEAD = queueScript('remove-dead');
export const RENEW = queueScript('renew');
export const REPLAY_DEAD = queueScript('replay-dead');
export const STATS = queueScript('stats');
