import type { RunningSummary } from '@carillon/history-annotations';
import type { CommitRecord, FanOutRecordBody } from '@carillon/contracts';
import type { Changes, Found, FoundReceipt, Stream } from '@carillon/history-store';
import { fromReceipt, rejected, skipped, type Verdict, verdict } from './answers.js';
import type { Arrival, Chain } from './arrival.js';
import { annotate, unannotate } from './annotation.js';
import { mark, purge, reset } from './control.js';
import { change, create } from './message.js';
import { type DecisionContext, Draft } from './draft.js';
import { presence } from './presence.js';
import { publish, published } from './publish.js';
import { fingerprintOf, receiptScope, whole } from './receipts.js';

/** Decision on a batch. */
export interface Evaluation {
  /** One for every record, in their order. */
  readonly verdicts: readonly Verdict[];
  readonly changes: Changes;
  /** Summaries of annotations as they are once it is committed. */
  readonly summaries: readonly RunningSummary[];
}

/**
 * Decides a batch: each record in order of arrival, with the effects of those before it. Pure except for new stream
 * ids, so it may run again on the state read by another transaction. A rejected record consumes no serial.
 */
export function evaluate(arrivals: readonly Arrival[], found: Found, context: DecisionContext): Evaluation {
  const draft = new Draft(found, context);
  const broken = new Set<Chain>();
  const waiting = new Set<Chain>();
  const verdicts = arrivals.map((arrival) => {
    const { chain, record } = arrival;
    if (chain !== null && (chain.broken || broken.has(chain))) return verdict(skipped(record.pub_id));
    const decided = chain !== null && waiting.has(chain) ? verdict(null) : decide(draft, arrival);
    if (chain !== null && decided.result === null) waiting.add(chain);
    if (chain !== null && decided.result?.status === 'rejected') broken.add(chain);
    return decided;
  });
  return { verdicts, changes: draft.changes(), summaries: draft.messages.summaries };
}

function decide(draft: Draft, arrival: Arrival): Verdict {
  const { record, address } = arrival;
  const stream = draft.stream(address);
  if (stream === undefined) return verdict(null);
  const receipt = draft.receipt(receiptScope(record));
  if (receipt !== undefined && stream !== null && answers(draft, arrival, receipt, stream)) {
    return replay(draft, arrival, receipt, stream);
  }
  if (record.op === 'purge') return purge(draft, record, stream);
  if (record.op === 'mark') return mark(draft, record, stream);
  if (stream === null) return verdict(null);
  if (record.op === 'publish') return publish(draft, record, arrival, stream);
  if (record.op === 'presence') return presence(draft, record, stream);
  if (record.op === 'reset') return reset(draft, record, stream);
  if (record.op === 'create') return create(draft, record, arrival, stream);
  if (record.op === 'annotate') return annotate(draft, record, stream);
  if (record.op === 'unannotate') return unannotate(draft, record, stream);
  return change(draft, record, stream);
}

/** One that has expired, or whose stream ended with a reset, answers nothing but a resend of its own record. */
function answers(
  { context }: Draft,
  { record }: Arrival,
  { untilMs, pubId, streamKey, generation }: FoundReceipt,
  stream: Stream,
): boolean {
  if (pubId === record.pub_id) return true;
  const isCurrent = streamKey === stream.streamKey && generation === stream.generation;
  return isCurrent && untilMs > context.nowMs;
}

function replay(draft: Draft, { record }: Arrival, receipt: FoundReceipt, stream: Stream): Verdict {
  if (receipt.pubId !== record.pub_id && receipt.fingerprint !== fingerprintOf(record))
    return verdict(rejected(record.pub_id, 'conflict'));
  const serial = receipt.deliverySerial;
  const current = receipt.generation === stream.generation;
  const stored = draft.found.receipts.get(receipt.scope) === receipt;
  const handed = Math.max(stream.fannedOutSerial, draft.context.handedOver(stream));
  const isOwed = serial !== null && current && stored && serial > handed;
  const again = isOwed ? { stream, serial, record: ownRecord(draft, record, receipt, stream) } : null;
  return verdict(fromReceipt(record.pub_id, receipt, stream), { again });
}

/** Returns the committed record of the same publish, if its row still exists. */
function ownRecord(
  draft: Draft,
  record: CommitRecord,
  receipt: FoundReceipt,
  stream: Stream,
): FanOutRecordBody | null {
  const { pubId, deliverySerial: serial, historySerial, publishedAtMs } = whole(receipt);
  if (record.op !== 'publish' || pubId !== record.pub_id) return null;
  if (serial === null || publishedAtMs === null) return null;
  return { ...published(draft, record, stream, { serial, historySerial, publishedAtMs }), resent: true };
}
