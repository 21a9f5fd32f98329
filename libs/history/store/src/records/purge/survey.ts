import type { Row } from '@carillon/records';
import type { AppSurvey } from '../../retention.js';
import { sideFor } from '../head.js';
import { keyOfText, lastPart } from '../keys.js';
import { streamOf } from '../locate.js';
import { ShownHistory } from '../shown.js';
import type { PurgeParts } from './scope.js';

/** Adds up the counters of the streams of each app, by the due entries of all streams. */
export class SurveyCount {
  readonly #apps = new Map<string, AppSurvey>();

  get survey(): readonly AppSurvey[] {
    return [...this.#apps.values()];
  }

  async add(parts: PurgeParts, entries: readonly Row[], nowMs: number): Promise<void> {
    const moments = new Map<string, number[]>();
    for (const { sort } of entries) {
      const key = keyOfText(lastPart(sort));
      moments.set(key, [...(moments.get(key) ?? []), Number(sort.slice(0, sort.indexOf('/')))]);
    }
    for (const found of await parts.reader.heads([...moments.keys()])) {
      const { head } = found;
      const stream = streamOf(found);
      const side = sideFor(found.side, stream);
      // A stream may have several entries: it counts by the latest.
      const latest = Math.max(head.dueMs ?? 0, side.dueMs ?? 0);
      if (moments.get(stream.streamKey)?.includes(latest) !== true) continue;
      const { messages, bytes } = await new ShownHistory(parts.reader, stream, nowMs, head).retained();
      const { appId, kind } = stream.address;
      const name = `${appId}\0${kind}`;
      const before = this.#apps.get(name);
      this.#apps.set(name, {
        appId,
        kind,
        records: messages + (before?.records ?? 0),
        bytes: bytes + (before?.bytes ?? 0),
        degraded: Number(stream.durable.state === 'degraded') + (before?.degraded ?? 0),
        resetRequired: Number(stream.durable.state === 'reset_required') + (before?.resetRequired ?? 0),
      });
    }
  }
}
