import { containsText } from './contains-text.js';

/** Operand required by a comparison. */
type Needs = 'value' | 'values' | 'nothing';

interface Comparison {
  readonly needs: Needs;
  /** Whether it holds exactly for the tags that equal one of the values. Absent: no. */
  readonly isLiteral?: boolean;
  /** The tag's value is undefined where the event has no such tag. */
  readonly holds: (tag: string | undefined, values: readonly string[]) => boolean;
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

function decimal(text: string): number | null {
  const value = DECIMAL.test(text) ? Number(text) : Infinity;
  return Number.isFinite(value) ? value : null;
}

const text = (holds: (tag: string, value: string) => boolean): Comparison => ({
  needs: 'value',
  holds: (tag, [value = '']) => tag !== undefined && holds(tag, value),
});

const number = (holds: (tag: number, value: number) => boolean): Comparison =>
  text((tag, value) => {
    const [left, right] = [decimal(tag), decimal(value)];
    return left !== null && right !== null && holds(left, right);
  });

const COMPARISONS: ReadonlyMap<string, Comparison> = new Map([
  ['eq', { ...text((tag, value) => tag === value), isLiteral: true }],
  ['neq', { needs: 'value', holds: (tag, [value]) => tag !== value }],
  [
    'in',
    {
      needs: 'values',
      isLiteral: true,
      holds: (tag, values) => tag !== undefined && values.includes(tag),
    },
  ],
  ['nin', { needs: 'values', holds: (tag, values) => tag === undefined || !values.includes(tag) }],
  ['ex', { needs: 'nothing', holds: (tag) => tag !== undefined }],
  ['nex', { needs: 'nothing', holds: (tag) => tag === undefined }],
  ['sw', text((tag, value) => tag.startsWith(value))],
  ['ew', text((tag, value) => tag.endsWith(value))],
  ['ct', text(containsText)],
  ['gt', number((tag, value) => tag > value)],
  ['gte', number((tag, value) => tag >= value)],
  ['lt', number((tag, value) => tag < value)],
  ['lte', number((tag, value) => tag <= value)],
]);

/** The comparison of that name, if there is one. */
export const comparisonNamed = (name: unknown): Comparison | undefined =>
  typeof name === 'string' ? COMPARISONS.get(name) : undefined;
