/** Size limit of a user id from any source, equal to that of a capability token. */
export const MAX_USER_ID_BYTES = 128;

/** No store takes U+0000 or half of a surrogate pair, and two of the latter are one in UTF-8. */
export const isUserId = (text: string): boolean =>
  text !== '' && Buffer.byteLength(text) <= MAX_USER_ID_BYTES && !text.includes('\0') && text.isWellFormed();
