import type { FabricNames } from './fabric-names.js';

/**
 * Addresses on a broker where every node hears everything: one for events, one for what is asked and told, one for
 * answers. What is meant for one node reaches all, and the others pass over it.
 *
 * @param separator Character between prefix and name.
 */
export function sharedNames(prefix: string, separator: '-' | '.' = '.'): FabricNames {
  const named = (name: string) => `${prefix}${separator}${name}`;
  const [broadcast, requests, responses] = [named('broadcast'), named('requests'), named('responses')];
  return {
    broadcast,
    requests,
    responses,
    control: requests,
    writers: named('writers'),
    node: () => requests,
    reply: () => responses,
    channel: () => broadcast,
    allChannels: () => broadcast,
    commit: (lane) => named(`commit${separator}${lane}`),
    read: (lane) => named(`read${separator}${lane}`),
  };
}
