/** Told a little before its token ends, when that lives long enough to be worth it. */
const BEFORE_EXPIRY_MS = 30_000;

/** What a connection is told at a look, of which there is one every `everyMs`; null: nothing. */
export function expiryOf(
  expiresMs: number | null,
  nowMs: number,
  everyMs: number,
): 'ended' | 'ending' | null {
  if (expiresMs === null) return null;
  const leftMs = expiresMs - nowMs;
  if (leftMs <= 0) return 'ended';
  return leftMs <= BEFORE_EXPIRY_MS && leftMs > BEFORE_EXPIRY_MS - everyMs ? 'ending' : null;
}
