import { text } from '@carillon/contracts';

/** Largest text that users choose as a name. */
const USER_TEXT_BYTES = 64 * 1024;

export const channel = text(1, USER_TEXT_BYTES);
export const userId = text(1, USER_TEXT_BYTES);
