import type { CommitBody, CommitResult } from '@carillon/contracts';
import {
  type CommitAnswer,
  CommitClient,
  type CommitClientOptions,
  type LocalLanes,
} from '../../src/index.js';
import { ManualClock } from '../manual-clock.js';

/** A publisher whose requests the test answers. */
export class ClientScene {
  readonly clock = new ManualClock();
  readonly requests: CommitBody[] = [];
  readonly sentAtMs: number[] = [];
  readonly resent: string[] = [];
  answer: (request: CommitBody) => Promise<CommitAnswer> = async (request) => committed(request);
  readonly client: CommitClient;

  constructor(options: Partial<CommitClientOptions> = {}) {
    this.client = new CommitClient(
      {
        clock: this.clock,
        transport: {
          send: (request) => {
            this.requests.push(request);
            this.sentAtMs.push(this.clock.elapsed());
            return this.answer(request);
          },
        },
        random: () => 0.5,
        resent: (cause) => this.resent.push(cause),
      },
      { lanes: 1, nodeId: 'n1', budgetMs: 5000, maxRecordBytes: 1 << 24, ...options },
    );
  }
}

/** Every record applied. */
export const committed = ({ records }: CommitBody, more: Partial<CommitResult> = {}): CommitAnswer => ({
  kind: 'committed',
  results: records.map(({ pub_id }) => ({ pub_id, status: 'applied', ...more })),
});

export const ids = (records: readonly { readonly pub_id: string }[]): string[] =>
  records.map(({ pub_id: pubId }) => pubId);

export const silent = (): Promise<CommitAnswer> => new Promise(() => {});

/** Records that wait in all lanes. */
export const waiting = ({ depths }: LocalLanes): number =>
  [...depths.values()].reduce((sum, one) => sum + one, 0);
