import { endsStream } from '@carillon/history-ai';
import type { Wanted, WantedMessage } from '@carillon/history-store';
import { operationIdentity } from '@carillon/history-messages';
import type { Arrival } from './arrival.js';
import type { AnnotatedType, TakenSummaries } from './known-summaries.js';

/** Returns the message state that a batch requires; nothing if none of its records concerns one. */
export function messagesOf(
  arrivals: readonly Arrival[],
  { all: known }: TakenSummaries,
): Pick<Wanted, 'messages'> {
  const states = new Map<string, WantedMessage>();
  const operations: NonNullable<Wanted['messages']>['operations'][number][] = [];
  const annotations: NonNullable<Wanted['messages']>['annotations'][number][] = [];
  const summaries: NonNullable<Wanted['messages']>['summaries'][number][] = [];
  let isAbout = false;
  for (const { record, address, stream } of arrivals) {
    isAbout ||= record.op === 'create';
    if (!('message_serial' in record)) continue;
    isAbout = true;
    const { message_serial: messageSerial } = record;
    const name = `${stream}\0${messageSerial}`;
    const before: WantedMessage = states.get(name) ?? {
      address,
      messageSerial,
      whole: false,
      appends: 0,
      bytes: 0,
      keepMs: 0,
    };
    if (record.op === 'annotate') summaries.push({ address, messageSerial, type: record.type });
    if (record.op === 'unannotate') annotations.push({ address, annotationSerial: record.annotation_serial });
    if (record.op === 'annotate' || record.op === 'unannotate') {
      states.set(name, before);
      continue;
    }
    const identity = operationIdentity(record);
    if (identity !== null) operations.push({ address, hash: identity.hash });
    const isAppend = record.op === 'append';
    states.set(name, {
      ...before,
      whole: before.whole || !isAppend || endsStream(record.extras ?? null),
      appends: before.appends + Number(isAppend),
      bytes: before.bytes + (isAppend ? Buffer.byteLength(record.data) : 0),
      keepMs: longest(before.keepMs, record.policy.versions_ms),
    });
  }
  if (!isAbout) return {};
  return { messages: { states: [...states.values()], operations, annotations, summaries, known } };
}

/** Null: for ever. */
const longest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : Math.max(one, other);

/** The summaries that a batch may change. A delete names its annotation only, so its type is not known yet. */
export const annotatedIn = (arrivals: readonly Arrival[]): readonly AnnotatedType[] =>
  arrivals.flatMap(({ record }) => {
    if (record.op !== 'annotate' && record.op !== 'unannotate') return [];
    return [{ messageSerial: record.message_serial, type: record.op === 'annotate' ? record.type : null }];
  });
