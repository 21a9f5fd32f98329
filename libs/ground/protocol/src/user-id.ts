/** How long the id of a user may be, wherever it comes from: as that of a capability token. */
export const MAX_USER_ID_BYTES = 128;

export const isUserId = (text: string): boolean =>
  text !== '' && Buffer.byteLength(text) <= MAX_USER_ID_BYTES;
