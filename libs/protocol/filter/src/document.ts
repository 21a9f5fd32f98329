/** The largest document an expression is evaluated over, in bytes of JSON. */
const MAX_DOCUMENT_BYTES = 65_536;

/** What expressions are evaluated over. */
export interface FilterDocument {
  readonly value: unknown;
}

/** A value of JSON as a document; null: it is too large, or too deep. Never throws. */
export const documentOf = (value: unknown): FilterDocument | null =>
  bytesOf(value) > MAX_DOCUMENT_BYTES ? null : { value };

/** Of its JSON. What is nested deeper than the stack is read without one, but not written: too large as well. */
function bytesOf(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return Infinity;
  }
}
