/** One half of an instruction: the operation and its size in bytes; size 0 means that the size follows. */
export interface Instruction {
  readonly kind: 'add' | 'run' | 'copy';
  readonly size: number;
  /** The address mode of a copy. */
  readonly mode: number;
}

const MODES = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const SAME_MODES = new Set([6, 7, 8]);

const add = (size: number): Instruction => ({ kind: 'add', size, mode: 0 });
const copy = (size: number, mode: number): Instruction => ({ kind: 'copy', size, mode });
const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** The default code table of RFC 3284 (section 5.6): the instructions of each of the 256 codes. */
export const codeTable = (): readonly (readonly Instruction[])[] => [
  [{ kind: 'run', size: 0, mode: 0 }],
  ...range(0, 17).map((size) => [add(size)]),
  ...MODES.flatMap((mode) => [0, ...range(4, 18)].map((size) => [copy(size, mode)])),
  ...MODES.flatMap((mode) =>
    range(1, 4).flatMap((added) => {
      const sizes = SAME_MODES.has(mode) ? [4] : [4, 5, 6];
      return sizes.map((size) => [add(added), copy(size, mode)]);
    }),
  ),
  ...MODES.map((mode) => [copy(4, mode), add(1)]),
];
