import { replyReader } from '@carillon/redis';

/** What the ledger's scripts answer. */
export const { list, oneOf, pairs, text, whole } = replyReader((what) => new Error(what));
