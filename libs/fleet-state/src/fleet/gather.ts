import type { Json, Shape } from '@carillon/contracts';
import type { FleetAnswers, FleetBus } from '@carillon/broker';
import type { Metrics } from '@carillon/runtime';

/** Valid answers of one request, by node id in ascending order, and the nodes without one. */
export interface Gathered<Answer> {
  readonly answers: readonly (readonly [nodeId: string, answer: Answer])[];
  readonly missing: readonly string[];
}

/** How long gateways may take. */
export interface Deadline {
  readonly deadlineMs: number;
}

/** Requests answers of all gateways and validates them. */
export class Gatherer {
  constructor(
    private readonly bus: Pick<FleetBus, 'ask'>,
    private readonly metrics: Pick<Metrics, 'counter'>,
  ) {}

  async gather<Answer>(
    type: string,
    body: Json,
    shape: Shape<Answer>,
    { deadlineMs }: Deadline,
  ): Promise<Gathered<Answer>> {
    return readAnswers(await this.bus.ask(type, body, deadlineMs), shape, this.metrics);
  }
}

/** Validates answers and counts the request. */
export function readAnswers<Answer>(
  { answers, missing }: FleetAnswers,
  shape: Shape<Answer>,
  metrics: Pick<Metrics, 'counter'>,
): Gathered<Answer> {
  const valid: [string, Answer][] = [];
  const absent = new Set(missing);
  for (const [nodeId, answer] of answers) {
    if (shape(answer) === null) valid.push([nodeId, answer as Answer]);
    else absent.add(nodeId);
  }
  const outcome = absent.size === 0 ? 'complete' : 'partial';
  metrics.counter('management_fleet_requests_total').for({ outcome }).add();
  return {
    answers: valid.toSorted(([one], [other]) => (one < other ? -1 : 1)),
    missing: [...absent].toSorted(),
  };
}
