import type { LiveEvent } from '@carillon/broker';
import type { ChannelFact } from '@carillon/protocol';

/** A fact of a channel, whether it was published here or on another node. */
export type Arrived = Omit<LiveEvent, 'eventId' | 'fact'> & { readonly fact: ChannelFact };
