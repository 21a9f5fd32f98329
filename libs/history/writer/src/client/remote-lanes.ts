import { COMMIT, type CommitBody, decodeLaneReply, encode, HELLO } from '@carillon/contracts';
import type { LaneBroker } from '@carillon/broker';
import { rejected } from '../evaluate/answers.js';
import type { CommitAnswer, CommitTransport } from './transport.js';

/** Time that a starting process waits for the number of lanes. */
const HELLO_WITHIN_MS = 1000;

/** An unusable answer counts as silence. */
const never = (): Promise<never> => new Promise(() => {});

/** The writers of all lanes, wherever they are. */
export class RemoteLanes implements CommitTransport {
  constructor(private readonly broker: LaneBroker) {}

  /** A request that cannot be sent is answered immediately; an unusable answer counts as silence. */
  async send(request: CommitBody): Promise<CommitAnswer> {
    const { lane, budget_ms: budgetMs, records } = request;
    const { maxBytes } = this.broker;
    const encoded = encode(COMMIT, request, maxBytes);
    if (!encoded.ok) {
      const code = encoded.reason === 'too-large' ? 'payload_too_large' : 'invalid_input';
      return { kind: 'committed', results: records.map(({ pub_id: pubId }) => rejected(pubId, code)) };
    }
    const heard = await this.broker.call({ use: 'commit', lane }, encoded.text, budgetMs);
    if (heard.kind === 'no_responder') return heard;
    if (heard.kind === 'silent') return never();
    const decoded = decodeLaneReply(heard.text, maxBytes);
    if (!decoded.ok || decoded.message.kind === 'writer') return never();
    const { message } = decoded;
    return message.kind === 'refused'
      ? { kind: 'refused', code: message.code }
      : { kind: 'committed', results: message.results };
  }

  /** Number of lanes of the writers; null: no writer answered in time. */
  async lanes(nodeId: string, lanes: number): Promise<number | null> {
    const { maxBytes } = this.broker;
    const encoded = encode(HELLO, { node_id: nodeId, lanes }, maxBytes);
    if (!encoded.ok) return null;
    const heard = await this.broker.call({ use: 'commit', lane: 0 }, encoded.text, HELLO_WITHIN_MS);
    if (heard.kind !== 'reply') return null;
    const decoded = decodeLaneReply(heard.text, maxBytes);
    return decoded.ok && decoded.message.kind === 'writer' ? decoded.message.lanes : null;
  }
}
