// One pass over the bytes before anything is made of them. A list that says it has a billion elements, or lists in
// lists in lists, would otherwise cost memory or stack out of all proportion to the frame.

/** Deeper than any frame: frame, extras, headers, one value. */
const DEEPEST = 8;

/** Number of bytes after the first of a value, and number of nested values. */
type Extent = { readonly bytes: number; readonly values: number };

const NOTHING: Extent = { bytes: 0, values: 0 };
/** Bytes of the length or number that follows; the length is then that of bytes, or a count of values. */
const SIZED: ReadonlyMap<
  number,
  { readonly width: number; readonly of: 'bytes' | 'list' | 'map' | 'extension' }
> = new Map([
  [0xc4, { width: 1, of: 'bytes' }],
  [0xc5, { width: 2, of: 'bytes' }],
  [0xc6, { width: 4, of: 'bytes' }],
  [0xc7, { width: 1, of: 'extension' }],
  [0xc8, { width: 2, of: 'extension' }],
  [0xc9, { width: 4, of: 'extension' }],
  [0xd9, { width: 1, of: 'bytes' }],
  [0xda, { width: 2, of: 'bytes' }],
  [0xdb, { width: 4, of: 'bytes' }],
  [0xdc, { width: 2, of: 'list' }],
  [0xdd, { width: 4, of: 'list' }],
  [0xde, { width: 2, of: 'map' }],
  [0xdf, { width: 4, of: 'map' }],
]);
/** Numbers and extensions of fixed size, by first byte from 0xca to 0xd8. */
const FIXED = [4, 8, 1, 2, 4, 8, 1, 2, 4, 8, 2, 3, 5, 9, 17];

/** Whether the bytes are exactly one MessagePack value of bounded depth. Linear in the bytes, without recursion. */
export function isOneMessagePackValue(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  /** Values still to come, by depth. */
  const open: number[] = [1];
  let at = 0;
  while (open.length > 0) {
    const left = open.at(-1) ?? 0;
    if (left === 0) {
      open.pop();
      continue;
    }
    if (at >= bytes.length) return false;
    const extent = extentAt(view, at);
    if (extent === null) return false;
    at += 1 + extent.bytes;
    open[open.length - 1] = left - 1;
    // Every value takes a byte at least.
    if (at + extent.values > bytes.length) return false;
    if (extent.values > 0) open.push(extent.values);
    if (open.length > DEEPEST) return false;
  }
  return at === bytes.length;
}

/** Null: no value begins so, or it ends within its length. */
function extentAt(view: DataView, at: number): Extent | null {
  const first = view.getUint8(at);
  if (first < 0x80 || first >= 0xe0 || first === 0xc0 || first === 0xc2 || first === 0xc3) return NOTHING;
  if (first < 0x90) return { bytes: 0, values: 2 * (first & 0x0f) };
  if (first < 0xa0) return { bytes: 0, values: first & 0x0f };
  if (first < 0xc0) return { bytes: first & 0x1f, values: 0 };
  if (first >= 0xca && first <= 0xd8) return { bytes: FIXED[first - 0xca] ?? 0, values: 0 };
  const sized = SIZED.get(first);
  if (sized === undefined || at + 1 + sized.width > view.byteLength) return null;
  const size = unsigned(view, at + 1, sized.width);
  if (sized.of === 'list') return { bytes: sized.width, values: size };
  if (sized.of === 'map') return { bytes: sized.width, values: 2 * size };
  return { bytes: sized.width + size + (sized.of === 'extension' ? 1 : 0), values: 0 };
}

function unsigned(view: DataView, at: number, width: number): number {
  if (width === 1) return view.getUint8(at);
  return width === 2 ? view.getUint16(at) : view.getUint32(at);
}
