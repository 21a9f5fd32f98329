const LENGTH = /^[0-9]{1,15}$/;
/** Without the `u` flag, so that only these letters fold: U+212A is no `k`. */
const CHUNKED = /^chunked$/i;

/**
 * Whether another server could find a different end of a request than the native parser, given its header names and
 * values alternately: more than one length header, a length that is not plain digits, or a transfer coding other than
 * exactly `chunked`. The native parser takes the first of several lengths, any coding for `chunked` and an empty
 * length for none; behind a proxy each of those could smuggle a second request.
 */
export function isAmbiguous(pairs: readonly string[]): boolean {
  let ends = 0;
  for (let index = 0; index < pairs.length; index += 2) {
    const name = pairs[index];
    const value = pairs[index + 1] ?? '';
    if (
      name === 'content-length' ? !LENGTH.test(value) : name === 'transfer-encoding' && !CHUNKED.test(value)
    )
      return true;
    if (name === 'content-length' || name === 'transfer-encoding') ends += 1;
  }
  return ends > 1;
}
