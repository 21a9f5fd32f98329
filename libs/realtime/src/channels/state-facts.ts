import type { ChannelCounted, ChannelFact, ChannelTurned, StateFact } from '@carillon/protocol';

/** Whether a fact reports state (members or counts), of which only the newest is relevant. */
export const isState = (fact: ChannelFact): fact is StateFact =>
  fact.kind !== 'message' && fact.kind !== 'annotated' && fact.kind !== 'annotations_summarized';

/** Whether a fact reports a count of the channel itself. */
export const isOfCount = (fact: StateFact): fact is ChannelCounted | ChannelTurned =>
  fact.kind === 'channel_counted' || fact.kind === 'channel_occupied' || fact.kind === 'channel_vacated';
