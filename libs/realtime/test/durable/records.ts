import type { FanOutRecordBody } from '@carillon/contracts';

export const STREAM = '5b0e8a52-0000-4000-8000-000000000001';
export const OTHER = '5b0e8a52-0000-4000-8000-000000000002';

/** A committed record of `orders`. */
export function record(
  serial: number,
  streamId = STREAM,
  messageId = `${streamId} ${serial}`,
): FanOutRecordBody {
  return {
    writer_id: 'w1',
    app_id: 'shop',
    channel: 'orders',
    stream_id: streamId,
    serial,
    history_serial: serial,
    annotation_no: null,
    published_at_ms: 1_760_000_000_000,
    op: 'publish',
    message_id: messageId,
    except_socket: null,
    message: `{"event":"e","channel":"orders","data":"${serial}","message_id":"${messageId}"}`,
  };
}

/** The end of one stream and the beginning of another. */
export const reset = (oldStreamId = STREAM, streamId = OTHER): FanOutRecordBody => ({
  writer_id: 'w1',
  app_id: 'shop',
  channel: 'orders',
  stream_id: streamId,
  published_at_ms: 1_760_000_000_000,
  op: 'reset',
  old_stream_id: oldStreamId,
});

/** A different record with that serial, from a contradicting stream. */
export const otherwise = (serial: number): FanOutRecordBody => record(serial, STREAM, `otherwise ${serial}`);
