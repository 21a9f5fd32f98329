import { formDecode } from '@carillon/auth';

/**
 * The query as handlers read it, decoded as the signature of a request decodes it: empty pieces are dropped, no `=`
 * means an empty value, and when a name repeats the last value wins. Has no prototype.
 */
export function parseQuery(raw: string): Record<string, string> {
  const query = Object.create(null) as Record<string, string>;
  for (const piece of raw.split('&')) {
    if (piece === '') continue;
    const equals = piece.indexOf('=');
    const name = formDecode(equals === -1 ? piece : piece.slice(0, equals));
    query[name] = equals === -1 ? '' : formDecode(piece.slice(equals + 1));
  }
  return query;
}
