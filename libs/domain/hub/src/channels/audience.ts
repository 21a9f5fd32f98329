import type { Pace } from '../appends/pace.js';
import type { AppendWays } from '../appends/pacing.js';
import type { Codec } from '../codec.js';
import type { LocalChannel } from './local-channel.js';
import type { DeferredMessages } from './deferred-messages.js';
import { Topic, type TopicWays } from './topic.js';

/** How channels reach sockets. */
export interface Ways extends TopicWays {
  /** How appends are held back and put together; null: they never are. */
  readonly appends: AppendWays | null;
}

/** One channel of one subscriber. All of one audience who are no members and have no other view share one. */
export interface Subscription {
  readonly channel: LocalChannel;
  readonly audience: Audience;
  /** Where it has the channel in several views: the rest of them. */
  readonly others: readonly Audience[];
  /** The member it is on a presence channel; null on any other. */
  readonly userId: string | null;
}

const NO_OTHERS: readonly Audience[] = [];

/** The subscribers of one channel who get the same frames. */
export class Audience extends Topic {
  /** What subscribers hold when they are no members and have this view alone. */
  readonly plain: Subscription;
  /** Messages that wait for the evaluation of a filter; null: none has waited yet. */
  deferred: DeferredMessages | null = null;

  constructor(
    channel: LocalChannel,
    codec: Codec,
    ways: Ways,
    /** How they are told of appends; null: as they come. */
    readonly pace: Pace | null,
  ) {
    super(channel.hub, channel.name, codec, ways);
    this.plain = { channel, audience: this, others: NO_OTHERS, userId: null };
  }

  /** Tells what is held back, before who receives changes. */
  flush(): void {
    this.pace?.flush();
    this.deferred?.flush();
  }
}
