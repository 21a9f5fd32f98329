import type { BrokerNames } from './broker-names.js';

/**
 * Addresses on a broker without routing: one for events, one for requests and notifications, one for answers.
 * Messages for one node reach all, and the others ignore them.
 * @param separator Character between prefix and name.
 */
export function sharedNames(prefix: string, separator: '-' | '.' = '.'): BrokerNames {
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
