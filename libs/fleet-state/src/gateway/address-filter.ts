import { BlockList, isIP } from 'node:net';

/** Whether an address is selected. */
export type AddressFilter = (address: string | null) => boolean;

/** Reads an exact address or a CIDR range; null if the text is neither. */
export function addressFilter(text: string): AddressFilter | null {
  const [network = '', length, ...rest] = text.split('/');
  const family = isIP(network);
  if (family === 0 || rest.length > 0) return null;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const bits = family === 4 ? 32 : 128;
  if (length !== undefined && (!/^\d{1,3}$/.test(length) || Number(length) > bits)) return null;
  const list = new BlockList();
  list.addSubnet(network, length === undefined ? bits : Number(length), type);
  return (address) => {
    if (address === null) return false;
    const own = isIP(address);
    return own !== 0 && list.check(address, own === 4 ? 'ipv4' : 'ipv6');
  };
}
