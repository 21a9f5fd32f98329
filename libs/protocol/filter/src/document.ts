/** The largest document an expression is evaluated over, in bytes of JSON. */
const MAX_DOCUMENT_BYTES = 65_536;

/** Document on which expressions are evaluated. */
export interface FilterDocument {
  readonly value: unknown;
}

/** A value of JSON as a document; null: it is too large, or too deep. Never throws. */
export const documentOf = (value: unknown): FilterDocument | null =>
  bytesOf(value) > MAX_DOCUMENT_BYTES ? null : { value };

/** Size as JSON. Values nested deeper than the stack can be parsed but not serialized: treated as too large. */
function bytesOf(value: unknown): number {
  try {
    return Buffer.byteLength(JSON.stringify(value));
  } catch {
    return Infinity;
  }
}
