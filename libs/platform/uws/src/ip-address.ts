import { isIPv4, isIPv6 } from 'node:net';

/** An address as its 16-bit groups: two for IPv4, eight for IPv6. */
type Groups = readonly number[];

function quad(text: string): [number, number] {
  const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number);
  return [a * 256 + b, c * 256 + d];
}

function groupsOf(half: string): number[] {
  if (half === '') return [];
  return half.split(':').flatMap((part) => (part.includes('.') ? quad(part) : [Number.parseInt(part, 16)]));
}

/** The groups of an address that {@link isIPv6} accepts; a zone (`%eth0`) is not part of it. */
function parseIPv6(text: string): Groups {
  const [address = ''] = text.split('%', 1);
  const [head = '', tail] = address.split('::');
  const before = groupsOf(head);
  if (tail === undefined) return before;
  const after = groupsOf(tail);
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => 0), ...after];
}

/** Groups a mapped IPv4 address starts with: `::ffff:0:0/96`. */
const MAPPED: Groups = [0, 0, 0, 0, 0, 0xffff];

const hex = (groups: Groups): string => groups.map((group) => group.toString(16)).join(':');

/** Shortest text of an IPv6 address: the longest run of two or more zero groups becomes `::`. */
function formatIPv6(groups: Groups): string {
  let best = { start: 0, length: 1 };
  for (let start = 0; start < groups.length; start += 1) {
    let end = start;
    while (groups[end] === 0) end += 1;
    if (end - start > best.length) best = { start, length: end - start };
  }
  if (best.length < 2) return hex(groups);
  return `${hex(groups.slice(0, best.start))}::${hex(groups.slice(best.start + best.length))}`;
}

/**
 * The one spelling of an address: IPv4 dotted (also when it came mapped into IPv6), IPv6 in its shortest form.
 * Null when the text is not an address.
 */
export function normalizeAddress(text: string): string | null {
  if (isIPv4(text)) return text;
  if (!isIPv6(text)) return null;
  const groups = parseIPv6(text);
  if (!MAPPED.every((group, index) => groups[index] === group)) return formatIPv6(groups);
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

/** The /64 network of an IPv6 address, as text. */
export function networkOf(address: string): string {
  return `${formatIPv6([...parseIPv6(address).slice(0, 4), 0, 0, 0, 0])}/64`;
}
