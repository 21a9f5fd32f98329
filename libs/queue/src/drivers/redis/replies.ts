import { replyReader } from '@carillon/redis';
import { QueueUnavailable } from '../../failures.js';

/** Decoders of the results of the queue's scripts. */
export const { list, listOf, oneOf, text, whole } = replyReader((what) => new QueueUnavailable(what));
