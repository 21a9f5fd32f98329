import { bound } from './bounds.js';
import { leaf, type Bound, type LeafNode, type LeafOptions, type LeafType } from './node.js';
import { given, wrongType } from './read.js';

interface NumberOptions extends LeafOptions<number> {
  /** 1 reads "greater than 0". */
  readonly min?: number;
  readonly max?: number;
}

interface Range {
  readonly min: number | undefined;
  readonly max: number | undefined;
}

function rangeText({ min, max }: Range): string {
  if (min !== undefined && max !== undefined) return `${min}–${max}`;
  if (max !== undefined) return `≤ ${max}`;
  return min === 1 ? '> 0' : `≥ ${min}`;
}

function outside({ min, max }: Range): string {
  if (min !== undefined && max !== undefined) return `must be between ${min} and ${max}`;
  if (max !== undefined) return `must be at most ${max}`;
  return min === 1 ? 'must be greater than 0' : `must be at least ${min}`;
}

function ranged(range: Range): Bound<number> {
  const { min = -Infinity, max = Infinity } = range;
  return bound(rangeText(range), (value) => (value >= min && value <= max ? null : outside(range)));
}

/** Declared limits first; the width of the type only speaks when they do not. */
function limits(options: NumberOptions, ceiling: number): readonly Bound<number>[] {
  const { min, max } = options;
  const width = { min: min ?? 0, max: max ?? ceiling };
  const declared = min === undefined && max === undefined ? [] : [ranged({ min, max })];
  const typed: Bound<number> = {
    text: '',
    check: (value, path) => {
      const spoken = [...declared, ...(options.bounds ?? [])];
      if (spoken.some((limit) => limit.check(value, path).length > 0)) return [];
      return ranged(width).check(value, path);
    },
  };
  return [...declared, typed, ...(options.bounds ?? [])];
}

const wholeType = (name: string, ceiling: number): LeafType<number> => ({
  name,
  jsonSchema: { type: 'integer', minimum: 0, maximum: ceiling },
  decode: (raw, path, findings) =>
    Number.isInteger(raw) ? given(raw as number) : wrongType(raw, 'integer', path, findings),
  parse: (text) => {
    const value = /^[+-]?\d+$/.test(text.trim()) ? Number(text) : -1;
    return value >= 0 && value <= ceiling ? { value } : { message: 'not an integer in range' };
  },
});

const whole =
  (name: string, ceiling: number) =>
  (options: NumberOptions): LeafNode<number> =>
    leaf(wholeType(name, ceiling), { ...options, bounds: limits(options, ceiling) });

export const u16 = whole('u16', 65_535);
export const u32 = whole('u32', 4_294_967_295);
/** Limited to the integers that a double represents exactly. */
export const u64 = whole('u64', Number.MAX_SAFE_INTEGER);

const floatType: LeafType<number> = {
  name: 'f64',
  jsonSchema: { type: 'number' },
  decode: (raw, path, findings) =>
    typeof raw === 'number' && Number.isFinite(raw)
      ? given(raw)
      : wrongType(raw, 'finite float', path, findings),
  parse: (text) => {
    const value = /^[+-]?(\d+\.?\d*|\.\d+)$/.test(text.trim()) ? Number(text) : Number.NaN;
    return Number.isFinite(value) ? { value } : { message: 'not a number' };
  },
};

export function f64(options: NumberOptions): LeafNode<number> {
  const { min, max } = options;
  const declared = min === undefined && max === undefined ? [] : [ranged({ min, max })];
  return leaf(floatType, { ...options, bounds: [...declared, ...(options.bounds ?? [])] });
}

const orWord = (word: string, inner: LeafType<number>): LeafType<number | typeof word> => ({
  name: `${inner.name} or "${word}"`,
  jsonSchema: { oneOf: [inner.jsonSchema, { const: word }] },
  decode: (raw, path, findings) =>
    typeof raw === 'string' && raw.trim().toLowerCase() === word
      ? given(word)
      : inner.decode(raw, path, findings),
  parse: (text) => (text.trim().toLowerCase() === word ? { value: word } : inner.parse(text)),
});

const zeroForWord = (value: number | string): number => (typeof value === 'string' ? 0 : value);

/** A count where 0 or the word `none` mean there is no limit; `none` is kept as 0. */
export function u64OrNone(options: LeafOptions<number>): LeafNode<number> {
  const inner = orWord('none', wholeType('u64', Number.MAX_SAFE_INTEGER));
  const type: LeafType<number> = {
    name: inner.name,
    jsonSchema: inner.jsonSchema,
    decode: (raw, path, findings) => {
      const decoded = inner.decode(raw, path, findings);
      return decoded === null ? null : given(zeroForWord(decoded.value));
    },
    parse: (text) => {
      const parsed = inner.parse(text);
      return 'value' in parsed ? { value: zeroForWord(parsed.value) } : parsed;
    },
  };
  return leaf(type, { ...options, bounds: limits(options, Number.MAX_SAFE_INTEGER) });
}

/** A positive count, or `auto` to let the service choose. */
export function countOrAuto(options: LeafOptions<number | 'auto'>): LeafNode<number | 'auto'> {
  const type = orWord('auto', wholeType('u32', 4_294_967_295)) as LeafType<number | 'auto'>;
  const positive = bound<number | 'auto'>('auto or > 0', (value) =>
    value === 'auto' || value > 0 ? null : 'must be greater than 0',
  );
  return leaf(type, { ...options, bounds: [positive] });
}

/** A port that may be 0 under a rule of its own. */
export const portBound = (text: string): Bound<number> =>
  bound(text, (value) => (value >= 0 && value <= 65_535 ? null : 'must be between 1 and 65535'));
