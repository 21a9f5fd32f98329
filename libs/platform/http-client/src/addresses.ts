import { BlockList, isIP } from 'node:net';

const V4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers; metadata of some clouds
  '127.0.0.0/8', // loopback
  '168.63.129.16/32', // the platform of Azure: public by range, reached from inside only
  '169.254.0.0/16', // link-local; metadata of most clouds
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.31.196.0/24', // relays of name servers
  '192.52.193.0/24', // automatic tunnels
  '192.175.48.0/24', // relays of name servers
  '192.0.2.0/24', // documentation
  '192.88.99.0/24', // relays to IPv6
  '192.168.0.0/16', // private
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, broadcast
];

/** Public IPv6: global unicast without the ranges that lead elsewhere. */
const V6_GLOBAL = '2000::/3';
const V6 = [
  '2001::/23', // protocol assignments, tunnels
  '2001:db8::/32', // documentation
  '2002::/16', // tunnels that hold an IPv4 address
  '3fff::/20', // documentation
];

function listOf(family: 'ipv4' | 'ipv6', ranges: readonly string[]): BlockList {
  const list = new BlockList();
  for (const range of ranges) {
    const [network = '', bits] = range.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}

const v4 = listOf('ipv4', V4);
const v6Global = listOf('ipv6', [V6_GLOBAL]);
const v6 = listOf('ipv6', V6);

/** Prefix of IPv4 addresses in IPv6-only networks. */
const NAT64 = '64:ff9b::';

/**
 * Whether an address is on the public internet: not loopback, private, link-local (where clouds have their metadata),
 * multicast or reserved, in any notation. IPv4 in IPv6 is not public, except for the form used by IPv6-only networks.
 */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !v4.check(address, 'ipv4');
  if (family !== 6 || address.includes('%')) return false;
  const translated = translatedV4(address);
  if (translated !== null) return isPublicAddress(translated);
  return v6Global.check(address, 'ipv6') && !v6.check(address, 'ipv6');
}

/** Returns the embedded IPv4 address; null if none. */
function translatedV4(address: string): string | null {
  const shortest = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  if (!shortest.startsWith(NAT64)) return null;
  const groups = shortest.slice(NAT64.length).split(':');
  if (groups.length > 2) return null;
  const [low = 0, high = 0] = groups.reverse().map((group) => Number.parseInt(group || '0', 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}
