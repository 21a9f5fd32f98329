import { replyReader } from '@carillon/redis';
import { QueueUnavailable } from '../../failures.js';

/** What the queue's scripts answer. */
export const { list, listOf, oneOf, text, whole } = replyReader((what) => new QueueUnavailable(what));
