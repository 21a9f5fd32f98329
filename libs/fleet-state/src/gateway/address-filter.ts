import { BlockList, isIP } from 'node:net';

/** Whether an address is selected. */
export type AddressFilter = (address: string | null) => boolean;

/** Reads an exact address or a CIDR range; null if the text is neither. */
export function addressFilter(text: string): AddressFilter | null {
  const [network = '', length, ...rest] = text.split('/');
  const family = isIP(network);
  if (family === 0 || rest.length > 0) return null;
  const bits = family === 4 ? 32 : 128;
  if (length !== undefined && (!/^\d{1,3}$/.test(length) || Number(length) > bits)) return null;
  if (family === 4) return ipv4Filter(network, length === undefined ? bits : Number(length));
  const list = new BlockList();
  list.addSubnet(network, length === undefined ? bits : Number(length), 'ipv6');
  return (address) => address !== null && isIP(address) === 6 && list.check(address, 'ipv6');
}

/** Compares numbers: a list of connections checks every address of a node. */
function ipv4Filter(network: string, bits: number): AddressFilter {
  const mask = bits === 0 ? 0 : -1 << (32 - bits);
  const wanted = ipv4Number(network) & mask;
  return (address) => address !== null && !address.includes(':') && (ipv4Number(address) & mask) === wanted;
}

const ipv4Number = (address: string): number =>
  address.split('.').reduce((number, part) => (number << 8) | Number(part), 0);
