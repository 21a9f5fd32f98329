import type { FoundMessages, WantedMessages } from '../model/living.js';
import type { StreamAddress } from '../model/stream.js';
import type { MemoryStreams } from './streams.js';

/** Returns the mutable messages, operations, annotations and summaries that a batch needs. */
export function findMessages(
  { states, operations, annotations, summaries }: WantedMessages,
  streams: MemoryStreams,
): FoundMessages {
  const messagesOf = (address: StreamAddress) => streams.byAddress(address)?.messages;
  const taken = annotations.flatMap(
    ({ address, annotationSerial }) => messagesOf(address)?.annotation(annotationSerial) ?? [],
  );
  return {
    states: states.flatMap(({ address, messageSerial }) => messagesOf(address)?.state(messageSerial) ?? []),
    operations: operations.flatMap(({ address, hash }) => messagesOf(address)?.operation(hash) ?? []),
    annotations: taken,
    types: summaries.flatMap(({ address, messageSerial, type }) => {
      const stream = streams.byAddress(address);
      if (stream === undefined || stream.messages.summary(messageSerial, type) !== undefined) return [];
      const { streamKey } = stream.stream;
      return [{ streamKey, messageSerial, count: stream.messages.types(messageSerial) }];
    }),
    summaries: [
      ...summaries.flatMap(
        ({ address, messageSerial, type }) => messagesOf(address)?.summary(messageSerial, type) ?? [],
      ),
      ...taken.flatMap(
        ({ created: { streamKey, messageSerial, type } }) =>
          streams.byKey(streamKey)?.messages.summary(messageSerial, type) ?? [],
      ),
    ],
  };
}
