import type { BrokerNames } from '@carillon/contracts';
import type { LaneAddress } from './port.js';

/** An address as the key of a map. */
export const addressKey = ({ use, lane }: LaneAddress): string => `${use}.${lane}`;

/** An address as the broker knows it. */
export const addressName = (names: BrokerNames, { use, lane }: LaneAddress): string => names[use](lane);
