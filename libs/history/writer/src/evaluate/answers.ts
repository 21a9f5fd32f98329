import type { CommitResult, FanOutRecordBody } from '@carillon/contracts';
import { ERRORS, type HttpErrorCode } from '@carillon/errors';
import type { FoundReceipt, Stream } from '@carillon/history-store';
import { whole } from './receipts.js';

/** Result of a rejected record, with the error for the publisher's caller. It consumed no serial. */
export function rejected(pubId: string, code: HttpErrorCode, text?: string, aiCode?: number): CommitResult {
  const { status, text: ownText, aiCode: ownAiCode } = ERRORS[code];
  const told = aiCode ?? ownAiCode;
  return {
    pub_id: pubId,
    status: 'rejected',
    code,
    http_status: status,
    error: (text ?? ownText).slice(0, 1024),
    ...(told === null ? {} : { ai_code: told }),
  };
}

/** A record behind a rejected one of its chain. */
export const skipped = (pubId: string): CommitResult => ({ pub_id: pubId, status: 'skipped' });

/** Result of a record whose deadline passed before its commit began. */
export const expired = (pubId: string): CommitResult => ({ pub_id: pubId, status: 'expired' });

/** A record of a stream that is fanned out again. */
export interface ToSendAgain {
  readonly stream: Stream;
  readonly serial: number;
  /** Record for the gateways; null: committed by another process, must be read. */
  readonly record: FanOutRecordBody | null;
}

/** Decision on one record. */
export interface Verdict {
  /** Null: its stream is held by another transaction, so it must wait. */
  readonly result: CommitResult | null;
  /** To be sent once the batch is committed. */
  readonly fanOut: FanOutRecordBody | null;
  /** Committed before, and perhaps never handed over. */
  readonly again: ToSendAgain | null;
}

export const verdict = (
  result: CommitResult | null,
  { fanOut = null, again = null }: Partial<Omit<Verdict, 'result'>> = {},
): Verdict => ({ result, fanOut, again });

/** The answer that was given before. The stream's id is absent when it was reset since. */
export function fromReceipt(pubId: string, found: FoundReceipt, stream: Stream): CommitResult {
  const receipt = whole(found);
  return {
    pub_id: pubId,
    status: receipt.pubId === pubId ? 'applied' : 'duplicate',
    stream_id: receipt.generation === stream.generation ? stream.streamId : null,
    delivery_serial: receipt.deliverySerial,
    history_serial: receipt.historySerial,
    message_serial: receipt.messageSerial,
    version_serial: receipt.versionSerial,
    published_at_ms: receipt.publishedAtMs,
    ...annotationIn(receipt.extra),
    extra: receipt.extra === null ? null : JSON.parse(receipt.extra),
  };
}

/** Returns the annotation serial stored in the receipt of an annotation. */
function annotationIn(extra: string | null): Pick<CommitResult, 'annotation_serial'> {
  const answer: unknown = extra === null ? null : JSON.parse(extra);
  const serial =
    typeof answer === 'object' && answer !== null && 'annotation_serial' in answer
      ? answer.annotation_serial
      : null;
  return typeof serial === 'string' ? { annotation_serial: serial } : {};
}
