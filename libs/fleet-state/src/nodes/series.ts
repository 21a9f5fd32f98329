import {
  integer,
  list,
  nullable,
  object,
  oneOf,
  perhaps,
  text,
  type Infer,
  type Json,
  type Shape,
} from '@carillon/contracts';
import type { FleetBus } from '@carillon/broker';
import type { Metrics } from '@carillon/runtime';
import { type Deadline, readAnswers } from '../fleet/gather.js';
import type { Coverage } from '../fleet/items.js';
import type { NodeTable } from './node-table.js';
import { SERIES_NAMES, type SeriesName } from './series-names.js';
import { STEP_MS, STEPS, type SeriesRings } from './series-rings.js';

const MAX_APPS = 10_000;

const number: Shape<number> = (value) =>
  typeof value === 'number' && Number.isFinite(value) ? null : 'must be a number';

/** Request for the series of one process. */
export const SERIES_REQUEST = object({
  names: list(oneOf(...SERIES_NAMES), 1, SERIES_NAMES.length),
  /** Null: the sums over all apps. */
  app_ids: perhaps(list(text(1, 64), 0, MAX_APPS)),
  last_step: integer(0),
});

const SERIES_ANSWER = object({
  series: list(list(nullable(number), STEPS, STEPS), 1, SERIES_NAMES.length),
});

/** What an operator asks for. */
export interface SeriesQuery {
  readonly names: readonly SeriesName[];
  readonly app_ids: readonly string[] | null;
  /** Absent: the sums over all processes. */
  readonly node_id?: string;
}

/** Time series summed over processes. */
export interface SeriesResult extends Coverage {
  readonly step_ms: number;
  readonly from_ms: number;
  readonly to_ms: number;
  readonly series: Readonly<Record<string, readonly (number | null)[]>>;
}

/** Answers of this process. */
export const localSeries = (rings: SeriesRings, request: Infer<typeof SERIES_REQUEST>): Json => ({
  series: request.names.map((name) => rings.values(name, request.app_ids ?? null, request.last_step)),
});

/** Requests the series of every process that reports. */
export class FleetSeries {
  constructor(
    private readonly bus: Pick<FleetBus, 'askNodes'>,
    private readonly nodes: Pick<NodeTable, 'list'>,
    private readonly metrics: Pick<Metrics, 'counter'>,
  ) {}

  async read({ names, app_ids, node_id }: SeriesQuery, { deadlineMs }: Deadline): Promise<SeriesResult> {
    const lastStep = Math.floor(Date.now() / STEP_MS) - 1;
    const nodes = this.nodes.list().map((node) => node.node_id);
    const asked = node_id === undefined ? nodes : nodes.filter((one) => one === node_id);
    const body = { names, app_ids, last_step: lastStep };
    const answers = await this.bus.askNodes(asked, 'manage_series', body, deadlineMs);
    const { answers: valid, missing } = readAnswers(answers, SERIES_ANSWER, this.metrics);
    const of = (at: number) =>
      valid.flatMap(([, { series }]) => (series[at] === undefined ? [] : [series[at]]));
    const end = (lastStep + 1) * STEP_MS;
    return {
      step_ms: STEP_MS,
      from_ms: end - STEPS * STEP_MS,
      to_ms: end,
      series: Object.fromEntries(names.map((name, at) => [name, summed(of(at))])),
      partial: missing.length > 0,
      missing_nodes: missing,
    };
  }
}

/** A step that no process knows is unknown. */
function summed(all: readonly (readonly (number | null)[])[]): readonly (number | null)[] {
  return Array.from({ length: STEPS }, (_, step) => {
    const known = all.map((values) => values[step] ?? null).filter((value) => value !== null);
    return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
  });
}
