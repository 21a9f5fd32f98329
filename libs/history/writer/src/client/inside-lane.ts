import type { Lane, LaneAnswer } from '../lane/lane.js';
import type { ConversationParts } from './conversation.js';
import type { Job } from './job.js';
import { OpenJobs } from './open-jobs.js';

/**
 * The requests of a publisher to a lane of its own process that never moves. It gets them at once and in their order,
 * which it keeps, and answers each once: nothing is sent again, and nothing held back.
 */
export class InsideLane {
  readonly #open: OpenJobs;

  constructor(
    private readonly parts: Pick<ConversationParts, 'clock' | 'ended'>,
    private readonly lane: Pick<Lane, 'submit'>,
  ) {
    this.#open = new OpenJobs(parts.clock);
  }

  submit(job: Job): void {
    if (!this.#open.add(job)) return;
    const { clock, ended } = this.parts;
    const begunMs = clock.elapsed();
    const end = (answer: LaneAnswer): void => {
      const afterMs = clock.elapsed() - begunMs;
      if (answer.kind === 'committed') {
        ended?.('committed', afterMs);
        this.#open.answer(job, (_, index) => answer.results[index]);
        return;
      }
      // Refused, or the process is stopping: no other writer exists.
      ended?.('backpressure', afterMs);
      this.#open.fail(job, 'backpressure');
    };
    this.lane
      .submit({ records: job.records, budgetMs: job.deadlineMs - begunMs, chain: job.chain })
      .then(end, () => this.#open.fail(job, 'service_unavailable', 'the history cannot be written'));
  }
}
