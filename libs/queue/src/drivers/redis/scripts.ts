import { queueScript } from './script.js';

// Every transition of a queue. What each guarantees, takes and answers is said at the head of its file. A job is written to
// where it goes before it is taken from where it was: a script that fails half-way, because a key holds what is not ours,
// may hand a job out twice but never lose it.
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
