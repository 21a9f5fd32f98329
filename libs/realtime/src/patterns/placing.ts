import { type OrdinaryChannel, patternCovers } from '@carillon/channels';
import type { Fact } from '@carillon/protocol';
import type { Frames } from '../codec.js';
import type { Subscriber } from '../subscriber/subscriber.js';

/** Facts delivered to pattern subscribers: messages, annotation summaries, counts, and gaps. */
export const BY_PATTERN: ReadonlySet<Fact['kind']> = new Set([
  'message',
  'annotations_summarized',
  'channel_counted',
  'resume_failed',
]);

/** A pattern subscriber subscribed to a channel directly too: messages that arrive both ways must be delivered once. */
export function channelEntered(subscriber: Subscriber, channel: OrdinaryChannel): void {
  if (subscriber.patterns === null) return;
  for (const pattern of subscriber.patterns.values())
    if (patternCovers(pattern.about, channel)) pattern.place(subscriber, true);
}

/** Re-evaluates the patterns of a subscriber after its patterns or direct subscriptions changed. */
export function placeAnew(subscriber: Subscriber): void {
  const { patterns, subscriptions } = subscriber;
  if (patterns === null) return;
  for (const pattern of patterns.values()) {
    const isApart =
      patterns.size > 1 ||
      [...subscriptions].some(({ channel }) => patternCovers(pattern.about, channel.about));
    pattern.place(subscriber, isApart);
  }
}

/** Whether its patterns deliver these frames of a channel that it is not subscribed to directly. */
export function isBrought(subscriber: Subscriber, channel: OrdinaryChannel, frames: Frames): boolean {
  if (!BY_PATTERN.has(frames.fact.kind)) return false;
  for (const pattern of subscriber.patterns?.values() ?? []) {
    const codec = patternCovers(pattern.about, channel) ? pattern.codecOf(subscriber) : undefined;
    if (codec !== undefined && frames.of(codec) !== null) return true;
  }
  return false;
}
