import { type BrokerNames, sharedNames } from '@carillon/contracts';

export interface OmqNames extends BrokerNames {
  /** Confirmations of subscriptions. */
  readonly hello: string;
}

/** Topics of ZeroMQ: the shared ones, and one per node and per reply address. */
export const omqNames = (prefix: string): OmqNames => ({
  ...sharedNames(prefix),
  hello: `${prefix}.hello`,
  node: (nodeId) => `${prefix}.node.${nodeId}`,
  reply: (id) => `${prefix}.inbox.${id}`,
});
