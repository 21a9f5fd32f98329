/** One half of an instruction: what to do and with how many bytes; 0: the number follows. */
export interface Instruction {
  readonly kind: 'add' | 'run' | 'copy';
  readonly size: number;
  /** Of a copy: how its address is written. */
  readonly mode: number;
}

const MODES = [0, 1, 2, 3, 4, 5, 6, 7, 8];
const SAME_MODES = new Set([6, 7, 8]);

const add = (size: number): Instruction => ({ kind: 'add', size, mode: 0 });
const copy = (size: number, mode: number): Instruction => ({ kind: 'copy', size, mode });
const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: to - from + 1 }, (_, at) => from + at);

/** The default code table of RFC 3284 (section 5.6): what each of the 256 codes stands for. */
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
