import {
  boundsOf,
  type CompatCore,
  CompatError,
  NOT_GRANTED,
  type Principal,
  UNITS,
} from '@carillon/ably-core';
import type { Entry } from './access.js';
import type { Ask, Reply } from './exchange.js';
import { cursorOf, limitOf, linkTo, placeOf } from './paging.js';

const MAX_LIMIT = 1000;
const KEPT = ['unit', 'by', 'start', 'end', 'direction', 'limit', 'format'] as const;
const NEWEST_FIRST: ReadonlyMap<string, boolean> = new Map([
  ['backwards', true],
  ['backward', true],
  ['forwards', false],
  ['forward', false],
]);

/** Reads the statistics of an app by interval, and accepts synthetic ones from tests. */
export class StatsRoutes {
  constructor(
    private readonly core: CompatCore,
    private readonly entry: Entry,
    private readonly now: () => number,
  ) {}

  readonly page = async (ask: Ask): Promise<Reply> => {
    const { app } = await this.#principal(ask);
    const { unit, newestFirst, limit, asked } = queryOf(ask);
    const about = [app.id, ...asked];
    // A later page is of the same time as the first, so that nothing moves between them.
    const { nowMs, lastMs } = momentsOf(placeOf(about, ask.query['cursor'])) ?? {
      nowMs: this.now(),
      lastMs: null,
    };
    const span = spanOf(ask.query, unit, { nowMs, retentionMs: this.core.statistics.retentionMs });
    const rest = restOf(span, newestFirst, lastMs, unit);
    const query = { appId: app.id, unit, newestFirst, limit, ...rest };
    const { intervals, lastMs: end } = await this.core.statistics.read(query, nowMs);
    const links = {
      first: linkTo(ask, KEPT, null),
      ...(end === null ? {} : { next: linkTo(ask, KEPT, cursorOf(about, `${nowMs} ${end}`)) }),
    };
    return { status: 200, body: intervals, links };
  };

  readonly replace = async (ask: Ask): Promise<Reply> => {
    const { replaced } = this.core.statistics;
    if (replaced === null) throw new CompatError(40_400, 'not found');
    const { app } = await this.#principal(ask);
    await replaced(app.id, ask.body());
    return { status: 201, body: {} };
  };

  async #principal(ask: Ask): Promise<Principal> {
    const principal = await this.entry.principal(ask);
    if (!principal.capability.allowsAnywhere('stats')) throw new CompatError(40_160, NOT_GRANTED);
    return principal;
  }
}

/** Returns the time of the first page and the start of the last interval before this page. */
function momentsOf(place: string | undefined): { readonly nowMs: number; readonly lastMs: number } | null {
  if (place === undefined) return null;
  const [, now, last] = /^(\d{1,15}) (\d{1,15})$/.exec(place) ?? [];
  if (now === undefined || last === undefined) throw new CompatError(40_000, 'cursor is not valid here');
  return { nowMs: Number(now), lastMs: Number(last) };
}

function queryOf({ query }: Ask) {
  const { start, end } = query;
  const named = query['unit'] ?? query['by'] ?? 'minute';
  const unit = UNITS.find((one) => one === named);
  if (unit === undefined) throw new CompatError(40_000, 'unit is not known');
  const direction = query['direction'] ?? 'backwards';
  const newestFirst = NEWEST_FIRST.get(direction);
  if (newestFirst === undefined) throw new CompatError(40_000, 'direction is not known');
  const limit = limitOf(query, MAX_LIMIT);
  return { unit, newestFirst, limit, asked: ['stats', unit, direction, start, end] };
}

interface Span {
  readonly fromMs: number;
  readonly untilMs: number;
}

/** Both ends with the interval that they are in. */
function spanOf(
  { start, end }: Ask['query'],
  unit: (typeof UNITS)[number],
  { nowMs, retentionMs }: { readonly nowMs: number; readonly retentionMs: number },
): Span {
  const fromMs = start === undefined ? Math.max(0, nowMs - retentionMs) : boundsOf(start, unit).fromMs;
  const { untilMs } = boundsOf(end ?? String(nowMs), unit);
  // Two times within one interval are equal as intervals.
  const areTimes = [start, end].every((one) => one !== undefined && /^\d+$/.test(one));
  const isReversed = areTimes ? Number(start) > Number(end) : fromMs >= untilMs;
  if (start !== undefined && end !== undefined && isReversed)
    throw new CompatError(40_000, 'start is after end');
  return { fromMs, untilMs };
}

/** Removes the intervals of earlier pages from a span. */
function restOf(span: Span, newestFirst: boolean, lastMs: number | null, unit: (typeof UNITS)[number]): Span {
  if (lastMs === null) return span;
  return newestFirst
    ? { ...span, untilMs: lastMs }
    : { ...span, fromMs: boundsOf(String(lastMs), unit).untilMs };
}
