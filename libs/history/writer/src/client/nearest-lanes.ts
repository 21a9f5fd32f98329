import type { CommitBody } from '@carillon/contracts';
import type { Writer } from '../writer/writer.js';
import type { CommitAnswer, CommitTransport } from './transport.js';

/** Lanes that this process serves are asked directly, the others wherever they are. */
export class NearestLanes implements CommitTransport {
  constructor(
    private readonly here: Pick<Writer, 'laneHere'>,
    private readonly elsewhere: CommitTransport,
    private readonly lanes: number,
  ) {}

  async send(request: CommitBody): Promise<CommitAnswer> {
    const lane = request.lanes === this.lanes ? this.here.laneHere(request.lane) : null;
    if (lane === null) return this.elsewhere.send(request);
    return lane.submit({ records: request.records, budgetMs: request.budget_ms, chain: request.chain });
  }
}
