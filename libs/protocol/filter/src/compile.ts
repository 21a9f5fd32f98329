import { readEventNames } from './event-names.js';
import { compileExpression, type Expression } from './expression/expression.js';
import { eventLiteral, type Literals, literalsOfAll } from './literals.js';
import { isObject, MalformedFilter, type JsonObject } from './malformed.js';
import type { FilterSubject } from './subject.js';
import { compileTagNode, type TagCondition } from './tag-node.js';

/** The settings that filters depend on. */
export interface FilterRules {
  readonly eventNamesEnabled: boolean;
  readonly tagsEnabled: boolean;
  readonly maxEventNames: number;
  readonly maxEventNameBytes: number;
}

/** Compiled filter of a subscription. Stateless: equal filters may share it. */
export interface Filter {
  /** Never throws; bounded time. Events that cannot be evaluated are rejected. */
  accepts(subject: FilterSubject): boolean;
  /** At least one of them is among the `literals` of every accepted event; null: the filter cannot be indexed. */
  readonly literals: Literals;
  /** Whether the filter accepts exactly the events that carry one of its literals. */
  readonly isLiteral: boolean;
}

/** A compiled filter, null where it restricts nothing; or why it is malformed, in words for the client. */
export type CompiledFilter =
  | { readonly ok: true; readonly filter: Filter | null }
  | { readonly ok: false; readonly reason: string };

const COMPONENTS = ['events', 'tags', 'expression'] as const;

/** Compiles the `filter` of a subscribe. Never throws; cost is linear in the input. */
export function compileFilter(value: unknown, rules: FilterRules): CompiledFilter {
  try {
    return { ok: true, filter: filterOf(value, rules) };
  } catch (problem) {
    if (problem instanceof MalformedFilter) return { ok: false, reason: problem.message };
    throw problem;
  }
}

function filterOf(value: unknown, rules: FilterRules): Filter | null {
  if (!isObject(value)) throw new MalformedFilter('filter must be an object');
  const isCompound = COMPONENTS.some((name) => Object.hasOwn(value, name));
  const given = isCompound ? value : { tags: value };
  // Everything is validated, including inactive parts: malformed input is refused in any case.
  const names = componentOf(given, 'events', (events) =>
    readEventNames(events, { maxNames: rules.maxEventNames, maxNameBytes: rules.maxEventNameBytes }),
  );
  const tags = componentOf(given, 'tags', compileTagNode);
  const expression = componentOf(given, 'expression', compileExpression);
  return joined(
    rules.eventNamesEnabled ? names : null,
    rules.tagsEnabled ? tags : null,
    rules.tagsEnabled ? expression : null,
  );
}

function componentOf<T>(given: JsonObject, name: string, read: (value: unknown) => T): T | null {
  const value = Object.hasOwn(given, name) ? (given[name] ?? null) : null;
  return value === null ? null : read(value);
}

function joined(
  names: ReadonlySet<string> | null,
  tags: TagCondition | null,
  expression: Expression | null,
): Filter | null {
  if (names === null && tags === null && expression === null) return null;
  return {
    isLiteral: expression === null && (names === null ? tags?.isLiteral === true : tags === null),
    literals: literalsOfAll([names === null ? null : [...names].map(eventLiteral), tags?.literals ?? null]),
    accepts: (subject) =>
      (names === null || names.has(subject.event) || (subject.name !== null && names.has(subject.name))) &&
      (tags === null || tags.holds(subject.tags)) &&
      (expression === null || acceptsExpression(expression, subject)),
  };
}

function acceptsExpression(expression: Expression, subject: FilterSubject): boolean {
  const { projection } = subject;
  return projection !== null && expression.accepts(projection.value);
}
