import { containsText, searchSteps } from '../contains-text.js';
import {
  isEqual,
  isObjectValue,
  NoAnswer,
  Reference,
  TEXT_STEP,
  typeOf,
  type Budget,
  type ObjectValue,
  type Value,
} from './values.js';

/** Context of functions. */
export interface Tools {
  readonly budget: Budget;
  /** Evaluates a reference on a value. */
  apply(reference: Reference, value: Value): Value;
}

interface BuiltIn {
  /** Types of the arguments, several joined by `|`; the last one's may repeat where `isVariadic`. */
  readonly takes: readonly string[];
  readonly isVariadic?: true;
  readonly call: (args: readonly Value[], tools: Tools) => Value;
}

type Comparable = number | string;

/** Code units of a text that a step takes apart into characters. */
const CHARACTERS_STEP = 4;

const numbers = (value: Value): readonly number[] => listOf(value, 'number') as readonly number[];

function listOf(value: Value, type: string): readonly Value[] {
  const list = value as readonly Value[];
  if (list.every((one) => typeOf(one) === type)) return list;
  throw new NoAnswer(`a list of ${type} is needed`);
}

/** Numbers or texts, all of one kind. */
function comparables(list: readonly Value[]): readonly Comparable[] {
  const [first] = list;
  return first === undefined
    ? []
    : (listOf(list, typeOf(first) === 'number' ? 'number' : 'string') as Comparable[]);
}

const order = (left: Comparable, right: Comparable): number => (left < right ? -1 : left > right ? 1 : 0);

/** Elements with the values of the expression reference. */
function keyed(
  args: readonly Value[],
  { budget, apply }: Tools,
): { readonly key: Comparable; readonly one: Value }[] {
  const [list, reference] = args as [readonly Value[], Reference];
  const keys = comparables(list.map((one) => apply(reference, one)));
  budget.take(list.length + lengthsOf(keys));
  return list.map((one, at) => ({ one, key: keys[at] ?? '' }));
}

/** The work of comparing each of these once: texts that differ late are read to where they do. */
const lengthsOf = (list: readonly Comparable[]): number =>
  list.reduce<number>((sum, one) => sum + (typeof one === 'string' ? one.length / TEXT_STEP : 0), 0);

/** `work`: of comparing each item once. */
function sorted<T>(
  list: readonly T[],
  compare: (left: T, right: T) => number,
  { budget, work }: { readonly budget: Budget; readonly work: number },
): T[] {
  budget.take(work * Math.ceil(Math.log2(list.length + 1)));
  return list.toSorted(compare);
}

/** The least or the greatest of numbers or texts. */
function extremeOf(list: Value, isBetter: typeof isMore, budget: Budget): Value {
  const items = comparables(list as Value[]);
  budget.take(lengthsOf(items));
  return extreme(items, isBetter);
}

function extreme<T>(list: readonly T[], isBetter: (one: T, than: T) => boolean): T | null {
  return list.length === 0 ? null : list.reduce((best, one) => (isBetter(one, best) ? one : best));
}

const isMore = (one: Comparable, than: Comparable): boolean => order(one, than) > 0;
const isLess = (one: Comparable, than: Comparable): boolean => order(one, than) < 0;

function toNumber(value: Value): Value {
  if (typeof value === 'number') return value;
  const isNumber = typeof value === 'string' && /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value);
  return isNumber ? Number(value) : null;
}

function toText(value: Value, budget: Budget): Value {
  if (typeof value === 'string') return value;
  budget.takeAll(value);
  return JSON.stringify(value);
}

function merged(objects: readonly Value[], budget: Budget): ObjectValue {
  const result: Record<string, Value> = Object.create(null) as Record<string, Value>;
  for (const one of objects as readonly ObjectValue[]) {
    for (const [name, value] of Object.entries(one)) {
      budget.take(1);
      result[name] = value;
    }
  }
  return result;
}

function contains([inside, what]: readonly Value[], budget: Budget): boolean {
  if (typeof inside !== 'string')
    return (inside as readonly Value[]).some((one) => isEqual(one, what, budget));
  if (typeof what !== 'string') return false;
  budget.take(searchSteps(inside, what));
  return containsText(inside, what);
}

const text = (value: Value): string => value as string;
const amount = (value: Value): number => value as number;

const BUILT_INS: ReadonlyMap<string, BuiltIn> = new Map<string, BuiltIn>([
  ['abs', { takes: ['number'], call: ([value]) => Math.abs(amount(value)) }],
  [
    'avg',
    {
      takes: ['array'],
      call: ([list]) => (numbers(list).length === 0 ? null : sum(list) / numbers(list).length),
    },
  ],
  ['ceil', { takes: ['number'], call: ([value]) => Math.ceil(amount(value)) }],
  ['contains', { takes: ['array|string', 'any'], call: (args, { budget }) => contains(args, budget) }],
  ['ends_with', { takes: ['string', 'string'], call: ([value, end]) => text(value).endsWith(text(end)) }],
  ['floor', { takes: ['number'], call: ([value]) => Math.floor(amount(value)) }],
  [
    'join',
    {
      takes: ['string', 'array'],
      call: ([glue, list], { budget }) => join(text(glue), listOf(list, 'string') as string[], budget),
    },
  ],
  ['keys', { takes: ['object'], call: ([value]) => Object.keys(value as ObjectValue) }],
  ['length', { takes: ['string|array|object'], call: ([value], { budget }) => lengthOf(value, budget) }],
  [
    'map',
    {
      takes: ['expref', 'array'],
      call: ([reference, list], { apply }) =>
        (list as Value[]).map((one) => apply(reference as Reference, one)),
    },
  ],
  ['max', { takes: ['array'], call: ([list], { budget }) => extremeOf(list, isMore, budget) }],
  [
    'max_by',
    {
      takes: ['array', 'expref'],
      call: (args, tools) =>
        extreme(keyed(args, tools), (one, than) => isMore(one.key, than.key))?.one ?? null,
    },
  ],
  ['merge', { takes: ['object'], isVariadic: true, call: (args, { budget }) => merged(args, budget) }],
  ['min', { takes: ['array'], call: ([list], { budget }) => extremeOf(list, isLess, budget) }],
  [
    'min_by',
    {
      takes: ['array', 'expref'],
      call: (args, tools) =>
        extreme(keyed(args, tools), (one, than) => isLess(one.key, than.key))?.one ?? null,
    },
  ],
  [
    'not_null',
    { takes: ['any'], isVariadic: true, call: (args) => args.find((one) => one !== null) ?? null },
  ],
  [
    'reverse',
    {
      takes: ['string|array'],
      call: ([value], { budget }) => {
        if (typeof value !== 'string') return (value as Value[]).toReversed();
        budget.take(value.length / CHARACTERS_STEP);
        return Array.from(value).toReversed().join('');
      },
    },
  ],
  [
    'sort',
    {
      takes: ['array'],
      call: ([list], { budget }) => {
        const items = comparables(list as Value[]);
        return sorted(items, order, { budget, work: items.length + lengthsOf(items) });
      },
    },
  ],
  [
    'sort_by',
    {
      takes: ['array', 'expref'],
      call: (args, { budget, apply }) => {
        const items = keyed(args, { budget, apply });
        const work = items.length + lengthsOf(items.map(({ key }) => key));
        return sorted(items, (one, other) => order(one.key, other.key), { budget, work }).map(
          ({ one }) => one,
        );
      },
    },
  ],
  [
    'starts_with',
    { takes: ['string', 'string'], call: ([value, start]) => text(value).startsWith(text(start)) },
  ],
  ['sum', { takes: ['array'], call: ([list]) => sum(list) }],
  ['to_array', { takes: ['any'], call: ([value]) => (Array.isArray(value) ? value : [value]) }],
  ['to_number', { takes: ['any'], call: ([value]) => toNumber(value) }],
  ['to_string', { takes: ['any'], call: ([value], { budget }) => toText(value, budget) }],
  ['type', { takes: ['any'], call: ([value]) => typeOf(value) }],
  ['values', { takes: ['object'], call: ([value]) => Object.values(value as ObjectValue) }],
]);

const sum = (list: Value): number => numbers(list).reduce((total, one) => total + one, 0);

function join(glue: string, texts: readonly string[], budget: Budget): string {
  budget.take(texts.reduce((length, one) => length + one.length + glue.length, 0) / TEXT_STEP);
  return texts.join(glue);
}

function lengthOf(value: Value, budget: Budget): number {
  if (typeof value === 'string') {
    budget.take(value.length / CHARACTERS_STEP);
    return Array.from(value).length;
  }
  return Array.isArray(value) ? value.length : Object.keys(value as ObjectValue).length;
}

/** Returns why a call is invalid for any arguments; null if it may be valid. */
export function arityProblem(name: string, count: number): string | null {
  const builtIn = BUILT_INS.get(name);
  if (builtIn === undefined) return 'filter.expression calls an unknown function';
  const fits = builtIn.isVariadic === true ? count >= builtIn.takes.length : count === builtIn.takes.length;
  return fits ? null : 'filter.expression calls a function with the wrong number of arguments';
}

/** Calls a function. Throws where the arguments' types do not fit. Costs at least as much as its arguments are long. */
export function callFunction(name: string, args: readonly Value[], tools: Tools): Value {
  const builtIn = BUILT_INS.get(name);
  if (builtIn === undefined) throw new NoAnswer('unknown function');
  for (const [at, value] of args.entries()) {
    const takes = builtIn.takes[at] ?? builtIn.takes.at(-1) ?? 'any';
    const type = typeOf(value);
    const fits = takes === 'any' ? type !== 'expref' : takes.split('|').includes(type);
    if (!fits) throw new NoAnswer(`${name} takes ${takes}`);
    tools.budget.take(1 + sizeOf(value));
  }
  return builtIn.call(args, tools);
}

function sizeOf(value: Value): number {
  if (typeof value === 'string') return value.length / TEXT_STEP;
  if (Array.isArray(value)) return value.length;
  return isObjectValue(value) ? Object.keys(value).length : 0;
}
