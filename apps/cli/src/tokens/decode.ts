export interface DecodedToken {
  readonly header: Readonly<Record<string, unknown>>;
  readonly claims: Readonly<Record<string, unknown>>;
  /** The text that is signed. */
  readonly signed: string;
  readonly signature: string;
}

/** The parts of a compact JWT; null: the text is no token. The signature is not verified. */
export function decodeToken(text: string): DecodedToken | null {
  const [head = '', body = '', signature = '', ...more] = text.split('.');
  if (head === '' || body === '' || more.length > 0) return null;
  const header = objectOf(head);
  const claims = objectOf(body);
  return header === null || claims === null ? null : { header, claims, signed: `${head}.${body}`, signature };
}

function objectOf(segment: string): Readonly<Record<string, unknown>> | null {
  if (!/^[\w-]+$/.test(segment)) return null;
  try {
    const value: unknown = JSON.parse(Buffer.from(segment, 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Readonly<Record<string, unknown>>)
      : null;
  } catch {
    return null;
  }
}
