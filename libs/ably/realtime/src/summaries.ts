import { fromNative, type JsonObject, messageRules, summaryOf } from '@carillon/ably-core';
import type { MessageReader } from '@carillon/history-reader';
import type { Frames, Showing } from '@carillon/realtime';

/** Of messages of the past that are shown; of others, changes are told by themselves. */
const shown = new WeakMap<Frames, JsonObject>();

/** What the annotations of a message come to that is shown with them; undefined: it is shown without. */
export const summaryWith = (frames: Frames): JsonObject | undefined => shown.get(frames);

const serialOf = ({ fact }: Frames): string | null =>
  fact.kind === 'message' ? (fromNative(fact, 0)?.serial ?? null) : null;

/** Shows messages of the past with what their annotations come to. */
export class Summaries {
  constructor(
    /** Null: this process has no way to them. */
    private readonly reader: Pick<MessageReader, 'summaries'> | null,
  ) {}

  /** Rejects when they cannot be read. */
  async add({ channel }: Pick<Showing, 'channel'>, past: readonly Frames[]): Promise<void> {
    if (this.reader === null || !channel.about.policy.annotationsEnabled) return;
    const serials = past.flatMap((frames) => serialOf(frames) ?? []);
    if (serials.length === 0) return;
    const { appId, app } = channel.hub;
    const place = { appId, channel: channel.name };
    const found = await this.reader.summaries(place, serials, messageRules(app).maxBytes);
    for (const frames of past) {
      const summary = found.get(serialOf(frames) ?? '');
      if (summary !== undefined) shown.set(frames, summaryOf(summary));
    }
  }
}
