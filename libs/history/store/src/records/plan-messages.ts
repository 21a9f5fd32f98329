import { FOREVER_MS } from '../model/calendar.js';
import type { NewSummary } from '../model/annotation.js';
import type { NewAnnotation } from '../model/living.js';
import type { StoredMessage } from '../model/message.js';
import { routeOf } from '../model/route.js';
import type { Draft } from './draft.js';
import { messageRow, summaryRow } from './found-rows.js';
import { type Hint, openHint, openMoment } from './hints.js';
import { KIND, sortOf } from './keys.js';
import type { PlanOf } from './plan-of.js';
import { encodeAnnotation, encodeMessage, encodeSummary } from './message-rows.js';
import { dataSort, summaryTextSort } from './texts.js';

/** Puts the rows of versioned messages, annotations and summaries; returns the index entries of opened messages. */
export function planMessages(of: PlanOf, draft: Draft): Hint[] {
  const { messages } = of.changes;
  if (messages === undefined) return [];
  const hints = new Map<number, Hint>();
  for (const state of messages.states)
    if (planState(of, draft, state)) {
      const { appId, channel } = of.stream.address;
      hints.set(openMoment(state.atMs), openHint(state.streamKey, routeOf(appId, channel), state.atMs));
    }
  for (const event of messages.annotations) planAnnotation(of, draft, event);
  for (const summary of messages.summaries) planSummary(of, draft, summary);
  return [...hints.values()];
}

/** Returns whether the message was opened. */
function planState({ found }: PlanOf, draft: Draft, state: StoredMessage): boolean {
  const { generation, messageSerial } = state;
  const owner = { streamKey: state.streamKey, generation };
  const before = messageRow(found, messageSerial);
  let [dataBase, dataChunks] = [before?.dataBase ?? state.baseSerial, before?.dataChunks ?? 0];
  if (state.data !== null) {
    for (let index = 0; index < dataChunks; index += 1)
      draft.delete(dataSort(owner, messageSerial, dataBase, index));
    dataBase = state.baseSerial;
    const { text } = state.data;
    dataChunks =
      text === null ? 0 : draft.putChunks((index) => dataSort(owner, messageSerial, dataBase, index), text);
  }
  draft.put(sortOf(generation, KIND.message, messageSerial), encodeMessage({ state, dataBase, dataChunks }));
  const open = sortOf(generation, KIND.open, messageSerial);
  if (state.isOpen) draft.put(open, String(state.historySerial));
  else if (before?.state.isOpen === true) draft.delete(open);
  return state.isOpen && before?.state.isOpen !== true;
}

function planAnnotation({ nowMs, expiresAt, stream }: PlanOf, draft: Draft, annotation: NewAnnotation): void {
  const { keepUntilMs, ...event } = annotation;
  const { generation } = stream;
  const expiresAtMs = keepUntilMs >= FOREVER_MS ? null : expiresAt(keepUntilMs - nowMs + ANNOTATION_GRACE_MS);
  const { annotationNo, messageSerial, targetNo } = event;
  draft.put(sortOf(generation, KIND.annotation, annotationNo), messageSerial, { expiresAtMs });
  draft.put(sortOf(generation, KIND.annotationEvent, messageSerial, annotationNo), encodeAnnotation(event), {
    expiresAtMs,
  });
  if (targetNo !== null)
    draft.put(sortOf(generation, KIND.deletedBy, targetNo), String(annotationNo), { expiresAtMs });
}

/** Rows of annotations outlive their retention; readers skip expired ones. */
const ANNOTATION_GRACE_MS = 86_400_000;

/** Without a text, the stored one stays. */
function planSummary({ found, stream }: PlanOf, draft: Draft, summary: NewSummary): void {
  const { generation } = stream;
  const { messageSerial, type, lastNo, changedAtMs, since } = summary;
  const owner = { streamKey: summary.streamKey, generation };
  const before = summaryRow(found, messageSerial, type);
  const textOf = (textNo: number) => (index: number) => summaryTextSort(owner, summary, textNo, index);
  let [textNo, textChunks] = [before?.textNo ?? lastNo, before?.textChunks ?? 0];
  const text = summary.summary ?? (before === null ? '{}' : null);
  if (text !== null) {
    for (let index = 0; index < textChunks; index += 1) draft.delete(textOf(textNo)(index));
    textNo = lastNo;
    textChunks = draft.putChunks(textOf(textNo), text);
  }
  const row = { since, lastNo, changedAtMs, textNo, textChunks };
  draft.put(sortOf(generation, KIND.summary, messageSerial, type), encodeSummary(row));
  if (before !== null && before.lastNo !== lastNo)
    draft.delete(sortOf(generation, KIND.summaryByNo, before.lastNo));
  draft.put(sortOf(generation, KIND.summaryByNo, lastNo), JSON.stringify([messageSerial, type]));
}
