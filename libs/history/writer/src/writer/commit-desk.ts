import {
  COMMITTED,
  decodeLaneRequest,
  encode,
  type Commit,
  type Misfit,
  REFUSED,
  type Refused,
  WRITER,
  type WriterBody,
} from '@carillon/contracts';
import type { Lane } from '../lane/lane.js';
import type { WriterEvents } from './events.js';

export interface CommitDeskParts {
  /** Number of lanes. */
  readonly lanes: number;
  readonly maxBytes: number;
  readonly announcement: () => WriterBody;
  readonly events: WriterEvents;
}

/** Answers requests at the commit address of a lane. Never rejects; null: no answer. */
export class CommitDesk {
  constructor(private readonly parts: CommitDeskParts) {}

  async answer(number: number, lane: Lane, text: string): Promise<string | null> {
    const { maxBytes, announcement } = this.parts;
    const decoded = decodeLaneRequest(text, maxBytes);
    if (!decoded.ok) return this.#misfit(decoded);
    const { message } = decoded;
    if (message.kind === 'hello') return this.#written(encode(WRITER, announcement(), maxBytes));
    if (message.lanes !== this.parts.lanes || message.lane !== number) return this.#mismatch(message);
    const answer = await lane.submit({
      records: message.records,
      budgetMs: message.budget_ms,
      chain: message.chain,
    });
    // The request was in flight when the lane was released: its sender repeats it to another writer.
    if (answer.kind === 'no_responder') return null;
    return answer.kind === 'refused'
      ? this.#refused(answer.code)
      : this.#written(encode(COMMITTED, { results: answer.results }, maxBytes));
  }

  #misfit(misfit: Misfit): string | null {
    this.parts.events.dropped(misfit.detail);
    return misfit.reason === 'unsupported-version' ? this.#refused('unsupported_version') : null;
  }

  #mismatch({ node_id: nodeId, lanes, lane }: Commit): string | null {
    this.parts.events.mismatched({ nodeId, lanes, lane });
    return this.#refused('lane_mismatch');
  }

  #refused(code: Refused['code']): string | null {
    return this.#written(encode(REFUSED, { code }, this.parts.maxBytes));
  }

  #written(encoded: ReturnType<typeof encode>): string | null {
    if (encoded.ok) return encoded.text;
    this.parts.events.dropped(encoded.detail);
    return null;
  }
}
