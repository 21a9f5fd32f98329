import { difference } from './difference.js';

/** `VCD` with high bits, version 0, no secondary compressor, no code table of its own. */
const HEADER = [0xd6, 0xc3, 0xc4, 0x00, 0x00];
const SOURCE_SEGMENT = 0x01;
const NO_COMPRESSION = 0x00;
/** Default code table: ADD and COPY from an absolute address, each followed by its size. */
const ADD = 1;
const COPY_SELF = 19;
const LONGEST_SHORT_ADD = 17;
const SHORTEST_SHORT_COPY = 4;
const LONGEST_SHORT_COPY = 18;

/** The difference as VCDIFF (RFC 3284): one window, the whole base its source segment, default code table. */
export function vcdiffDelta(base: Uint8Array, target: Uint8Array): Uint8Array {
  const data: Uint8Array[] = [];
  const instructions: number[] = [];
  const addresses: number[] = [];
  for (const { from, start, length } of difference(base, target)) {
    if (from === 'target') {
      add(instructions, length);
      data.push(target.subarray(start, start + length));
    } else {
      copy(instructions, length);
      addresses.push(...integer(start));
    }
  }
  const added = Buffer.concat(data);
  const body = [
    ...integer(target.length),
    NO_COMPRESSION,
    ...integer(added.length),
    ...integer(instructions.length),
    ...integer(addresses.length),
  ];
  const size = body.length + added.length + instructions.length + addresses.length;
  const head = [...HEADER, ...sourceSegment(base), ...integer(size), ...body];
  return Buffer.concat([Buffer.from(head), added, Buffer.from(instructions), Buffer.from(addresses)]);
}

/** An empty base is no segment. */
const sourceSegment = (base: Uint8Array): number[] =>
  base.length === 0 ? [0] : [SOURCE_SEGMENT, ...integer(base.length), ...integer(0)];

function add(instructions: number[], length: number): void {
  if (length <= LONGEST_SHORT_ADD) instructions.push(ADD + length);
  else instructions.push(ADD, ...integer(length));
}

function copy(instructions: number[], length: number): void {
  const isShort = length >= SHORTEST_SHORT_COPY && length <= LONGEST_SHORT_COPY;
  if (isShort) instructions.push(COPY_SELF + length - SHORTEST_SHORT_COPY + 1);
  else instructions.push(COPY_SELF, ...integer(length));
}

/** Seven bits a byte, the most significant first, the high bit set on all but the last. */
function integer(value: number): number[] {
  const bytes = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) {
    bytes.unshift(128 + (rest % 128));
  }
  return bytes;
}
