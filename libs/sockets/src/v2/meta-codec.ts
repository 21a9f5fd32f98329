import { metaBase } from '@carillon/channels';
import type { Codec, Frame } from '@carillon/realtime';
import { type Fact, metaEvent, type WireFormatV2 } from '@carillon/protocol';

type MetaEvent = Parameters<typeof metaEvent>;

/** Encodes channel lifecycle facts for the subscribers of meta channels. One codec per format. */
export class MetaCodec implements Codec {
  constructor(private readonly format: WireFormatV2) {}

  encode(fact: Fact): Frame | null {
    const told = toldOf(fact);
    return told === null ? null : this.format.encode(metaEvent(...told));
  }
}

/** Returns null if the fact is not reported. */
function toldOf(fact: Fact): MetaEvent | null {
  if (fact.kind === 'channel_occupied') return counted(fact.kind, fact.channel, 1);
  if (fact.kind === 'channel_vacated') return counted(fact.kind, fact.channel, 0);
  if (fact.kind === 'channel_counted') return counted('subscription_count', fact.channel, fact.count);
  if (fact.kind === 'member_added') return member(fact.kind, fact.channel, fact.member.userId);
  if (fact.kind === 'member_removed') return member(fact.kind, fact.channel, fact.userId);
  if (fact.kind === 'member_updated') return member('presence_update', fact.channel, fact.member.userId);
  return null;
}

const counted = (event: MetaEvent[0], channel: string, subscriptionCount: number): MetaEvent => [
  event,
  baseOf(channel),
  { subscriptionCount },
];

const member = (event: MetaEvent[0], channel: string, userId: string): MetaEvent => [
  event,
  baseOf(channel),
  { userId },
];

/** Facts from other processes carry the name of the meta channel. */
const baseOf = (channel: string): string => metaBase(channel) ?? channel;
