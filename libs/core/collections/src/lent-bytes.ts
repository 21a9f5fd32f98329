/**
 * Environment variable that turns on poisoning when it is `true`: every buffer that a transport lends to a callback is
 * overwritten when the callback returns. For tests and debugging; it costs a copy of all inbound bytes.
 */
export const POISON_VARIABLE = 'CARILLON_POISON_BUFFERS';

/** Byte that is part of no UTF-8 text, is no head of a MessagePack value, and repeated is no Protobuf field. */
export const POISON = 0xc1;

/**
 * Calls `use` with `copy` and overwrites the copy with {@link POISON} once `use` returns or throws. A view of the copy
 * outliving the call then holds bytes that no decoder accepts, instead of data that is still correct by chance.
 */
export function lendPoisoned<Copy extends ArrayBuffer | Uint8Array, Result>(
  copy: Copy,
  use: (lent: Copy) => Result,
): Result {
  try {
    return use(copy);
  } finally {
    (copy instanceof Uint8Array ? copy : new Uint8Array(copy)).fill(POISON);
  }
}
