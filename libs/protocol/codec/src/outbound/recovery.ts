import { failureData, type RecoveryFailure } from '../recovery/failure.js';
import type { FrameV2 } from '../v2/frame.js';
import { inString } from './in-string.js';

/** A channel whose missed messages are all sent. */
export interface Recovered {
  readonly channel: string;
  /** `cold`: rows of the durable store were needed. */
  readonly source: 'hot' | 'cold';
  /** Frames sent, without those the subscription does not want. */
  readonly replayed: number;
  readonly position: {
    readonly streamId: string;
    readonly serial: number;
    /** Null: none is known. */
    readonly lastMessageId: string | null;
  };
}

/** Frame of a channel that could not be recovered. */
export function resumeFailed(failure: RecoveryFailure): FrameV2 {
  return {
    event: 'service:resume_failed',
    channel: failure.channel,
    dataText: inString(JSON.stringify(failureData(failure))),
  };
}

/** The end of a resume, also where every channel failed. */
export function resumeSuccess(recovered: readonly Recovered[], failed: readonly RecoveryFailure[]): FrameV2 {
  const data = {
    recovered: recovered.map(({ channel, source, replayed, position }) => ({
      channel,
      source,
      replayed,
      position: {
        stream_id: position.streamId,
        serial: position.serial,
        ...(position.lastMessageId === null ? {} : { last_message_id: position.lastMessageId }),
      },
    })),
    failed: failed.map(failureData),
  };
  return { event: 'service:resume_success', dataText: inString(JSON.stringify(data)) };
}
