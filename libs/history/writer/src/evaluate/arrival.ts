import { readCommitRecord, type CommitRecord, type CommitResult } from '@carillon/contracts';
import { type StreamAddress, streamName } from '@carillon/history-store';
import { rejected } from './answers.js';
import { readFrame } from './frame.js';

/** Records of one request that end with the first that is rejected. */
export interface Chain {
  broken: boolean;
}

/** A record that was checked and may be decided. */
export interface Arrival {
  readonly record: CommitRecord;
  readonly address: StreamAddress;
  /** The name of the stream: its address as the key of a map. */
  readonly stream: string;
  /** Event name of a publish or a create; null otherwise. */
  readonly eventName: string | null;
  readonly bytes: number;
  /** Null: not part of a chain. */
  readonly chain: Chain | null;
}

export type ReadArrival =
  | { readonly ok: true; readonly arrival: Arrival }
  | { readonly ok: false; readonly result: CommitResult };

/** Checks a record before it is queued. Everything the database would choke on ends here, as the publisher's error. */
export function readArrival(value: { readonly pub_id: string }, chain: Chain | null): ReadArrival {
  const read = readCommitRecord(value);
  if (!read.ok) return refused(value.pub_id, 'invalid_input', read.problem);
  const { record } = read;
  const frame = 'message' in record ? readFrame(record.message) : null;
  if (frame !== null && !frame.ok) return refused(record.pub_id, 'invalid_input', frame.problem);
  const address = { appId: record.app_id, channel: record.channel, kind: kindOf(record) };
  return {
    ok: true,
    arrival: {
      record,
      address,
      stream: streamName(address),
      eventName: frame?.eventName ?? null,
      bytes: sizeOf(record),
      chain,
    },
  };
}

function refused(...rejection: Parameters<typeof rejected>): ReadArrival {
  return { ok: false, result: rejected(...rejection) };
}

function kindOf(record: CommitRecord): StreamAddress['kind'] {
  if (record.op === 'presence') return 'presence';
  return record.op === 'reset' || record.op === 'mark' ? record.stream : 'messages';
}

/** Approximate size of the members besides the payload. */
const OVERHEAD_BYTES = 256;

function sizeOf(record: CommitRecord): number {
  if ('message' in record) return OVERHEAD_BYTES + Buffer.byteLength(record.message);
  if (record.op === 'presence')
    return OVERHEAD_BYTES + Buffer.byteLength(JSON.stringify(record.user_info ?? null));
  const texts = ['data', 'extras', 'metadata', 'name', 'description'] as const;
  const given = record as Partial<Record<(typeof texts)[number], unknown>>;
  const bytes = texts.map((name) => (typeof given[name] === 'string' ? Buffer.byteLength(given[name]) : 0));
  return bytes.reduce((sum, size) => sum + size, OVERHEAD_BYTES);
}

/** Whether a record must be decided alone, because it depends on everything that is stored. */
export const travelsAlone = ({ record: { op } }: Arrival): boolean =>
  op === 'reset' || op === 'purge' || op === 'mark';
