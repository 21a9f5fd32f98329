import { randomUUID } from 'node:crypto';
import type { CommitRecordOf, CommitResult } from '@carillon/contracts';
import type { Stream, StreamAddress } from '@carillon/history-store';
import type { HistoryCommits } from './hints/marking-commits.js';
import type { Fault, FaultReason } from './page-faults.js';

export interface FaultDeskParts {
  readonly commits: Pick<HistoryCommits, 'commit'>;
  /** The process, as it is named in the state of a stream. */
  readonly nodeId: string;
  /** Milliseconds that only grow. */
  readonly elapsed: () => number;
  /** Called for each claim. */
  readonly onClaim: (address: StreamAddress, fault: Fault) => void;
  readonly onTrouble: (error: unknown) => void;
}

/** Verdict of a stream's writer: confirmed, denied, or none received. */
export type Ruling = 'refused' | 'unknown' | 'upheld';

/** Operations of a desk used by readers. */
export type Faults = Pick<FaultDesk, 'isExplained' | 'rulingOn'>;

/** Time after an answer in which the same claim is not repeated. */
const AGAIN_MS = 5000;
/** Claims, and faults that turned out to be none, that are kept in mind; beyond, the oldest are forgotten. */
const MAX_CLAIMS = 1000;
const MAX_EXPLAINED = 10_000;

/** The state that each reason puts a stream in. */
const STATES: Readonly<Record<FaultReason, CommitRecordOf<'mark'>['state']>> = {
  history_row_unreadable: 'degraded',
  history_serial_conflict: 'reset_required',
  history_serial_gap: 'reset_required',
};

interface Claim {
  readonly ruling: Promise<Ruling>;
  /** Null: there is no answer yet. */
  answeredAtMs: number | null;
}

/**
 * Collects the faults that readers find in streams. The writer of the stream verifies them under the lock; it is
 * asked at most once per interval, however many readers find the same fault.
 */
export class FaultDesk {
  readonly #claims = new Map<string, Claim>();
  readonly #explained = new Set<string>();

  constructor(private readonly parts: FaultDeskParts) {}

  /** Whether the writer has denied the fault: rows removed by retention never return. */
  isExplained(stream: Stream, fault: Fault): boolean {
    return this.#explained.has(nameOf(stream, fault));
  }

  /** Asks the writer to verify faults of one reason. Never rejects. */
  async rulingOn(stream: Stream, reason: FaultReason, faults: readonly Fault[]): Promise<Ruling> {
    const [fault] = faults;
    if (fault === undefined) return 'refused';
    const known = this.#claimOf(stream, reason);
    const claim = known ?? this.#claim(stream, fault);
    const ruling = await claim.ruling;
    // An older answer may predate later findings.
    if (known === undefined && ruling === 'refused' && reason !== 'history_row_unreadable')
      for (const one of faults) this.#remember(nameOf(stream, one));
    return ruling;
  }

  /** One whose answer is awaited, or has come just now. */
  #claimOf({ streamId }: Stream, reason: FaultReason): Claim | undefined {
    const claim = this.#claims.get(`${streamId} ${reason}`);
    if (claim === undefined || claim.answeredAtMs === null) return claim;
    return this.parts.elapsed() - claim.answeredAtMs < AGAIN_MS ? claim : undefined;
  }

  #claim(stream: Stream, fault: Fault): Claim {
    const name = `${stream.streamId} ${fault.reason}`;
    const claim: Claim = { ruling: this.#ask(stream.address, fault), answeredAtMs: null };
    this.#claims.delete(name);
    this.#claims.set(name, claim);
    const [oldest] = this.#claims.keys();
    if (this.#claims.size > MAX_CLAIMS && oldest !== undefined) this.#claims.delete(oldest);
    void this.#noteAnswer(claim);
    return claim;
  }

  async #noteAnswer(claim: Claim): Promise<void> {
    await claim.ruling;
    claim.answeredAtMs = this.parts.elapsed();
  }

  async #ask(address: StreamAddress, fault: Fault): Promise<Ruling> {
    const { commits, nodeId, onClaim, onTrouble } = this.parts;
    const { appId: app_id, channel, kind: stream } = address;
    const { reason } = fault;
    onClaim(address, fault);
    try {
      const [result] = await commits.commit([
        {
          op: 'mark',
          pub_id: randomUUID(),
          app_id,
          channel,
          stream,
          state: STATES[reason],
          reason,
          node_id: nodeId,
        },
      ]);
      return rulingOf(result);
    } catch (error) {
      onTrouble(error);
      return 'unknown';
    }
  }

  #remember(name: string): void {
    this.#explained.add(name);
    const [oldest] = this.#explained;
    if (this.#explained.size > MAX_EXPLAINED && oldest !== undefined) this.#explained.delete(oldest);
  }
}

const nameOf = ({ streamId }: Stream, { reason, fromSerial, toSerial }: Fault): string =>
  `${streamId} ${reason} ${fromSerial}-${toSerial}`;

function rulingOf(result: CommitResult | undefined): Ruling {
  const { status, extra } = result ?? {};
  if (status !== 'applied' || typeof extra !== 'object' || extra === null || !('changed' in extra))
    return 'unknown';
  return extra.changed === true ? 'upheld' : 'refused';
}
