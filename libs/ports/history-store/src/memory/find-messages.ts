import type { FoundMessages, WantedMessages } from '../model/living.js';
import { type StreamAddress, streamName } from '../model/stream.js';
import type { MemoryStream } from './memory-stream.js';

/** What a batch has to know of messages that live on. */
export function findMessages(
  { states, operations, annotations, summaries }: WantedMessages,
  byName: ReadonlyMap<string, MemoryStream>,
  byKey: ReadonlyMap<string, MemoryStream>,
): FoundMessages {
  const messagesOf = (address: StreamAddress) => byName.get(streamName(address))?.messages;
  const taken = annotations.flatMap(
    ({ address, annotationSerial }) => messagesOf(address)?.annotation(annotationSerial) ?? [],
  );
  return {
    states: states.flatMap(({ address, messageSerial }) => messagesOf(address)?.state(messageSerial) ?? []),
    operations: operations.flatMap(({ address, hash }) => messagesOf(address)?.operation(hash) ?? []),
    annotations: taken,
    summaries: [
      ...summaries.flatMap(
        ({ address, messageSerial, type }) => messagesOf(address)?.summary(messageSerial, type) ?? [],
      ),
      ...taken.flatMap(
        ({ created: { streamKey, messageSerial, type } }) =>
          byKey.get(streamKey)?.messages.summary(messageSerial, type) ?? [],
      ),
    ],
  };
}
