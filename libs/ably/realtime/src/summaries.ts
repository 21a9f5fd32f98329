import { fromNative, type JsonObject, messageRules, summaryOf } from '@carillon/ably-core';
import type { MessageReader } from '@carillon/history-reader';
import type { Frames, Showing } from '@carillon/realtime';

/** Summaries of past messages delivered on attach; live changes are delivered as separate events. */
const shown = new WeakMap<Frames, JsonObject>();

/** Returns the annotation summary delivered with a past message; undefined if there is none. */
export const summaryWith = (frames: Frames): JsonObject | undefined => shown.get(frames);

const serialOf = ({ fact }: Frames): string | null =>
  fact.kind === 'message' ? (fromNative(fact, 0)?.serial ?? null) : null;

/** Adds annotation summaries to past messages. */
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
