import type { SqlScalar } from '@carillon/database';
import type { Condition } from './keyed.js';

/** A select over rows that have a state and the time of their last change, which an index has in this order. */
interface Aged {
  /** Up to and with the joins. */
  readonly select: string;
  readonly states: readonly string[];
  readonly state: string;
  readonly changed: string;
  readonly beforeMs: number;
  readonly and?: Condition;
}

/** Selects rows of the states that were last changed before a time, the oldest first. To be run by `Sql.inOrder`. */
export function oldestOfStates(
  { select, states, state, changed, beforeMs, and }: Aged,
  limit: number,
): Condition {
  const more = and === undefined ? '' : ` and ${and.text}`;
  const one = `(${select} where ${state} = ? and ${changed} < ?${more} order by ${changed} limit ${limit})`;
  const union = states.map(() => one).join(' union all ');
  return {
    text: `select * from (${union}) oldest order by updated_ms limit ${limit}`,
    values: states.flatMap((name): readonly SqlScalar[] => [name, beforeMs, ...(and?.values ?? [])]),
  };
}
