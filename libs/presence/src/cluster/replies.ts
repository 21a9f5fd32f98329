import { replyReader } from '@carillon/redis';

/** Decoders of the results of the ledger's scripts. */
export const { list, oneOf, pairs, text, whole } = replyReader((what) => new Error(what));
