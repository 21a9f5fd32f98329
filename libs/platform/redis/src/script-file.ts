import { readFileSync } from 'node:fs';
import { redisScript, type RedisScript } from './script.js';

/** Constants of the program for scripts: numbers, and words without quotes. */
export type ScriptConstants = Readonly<Record<string, number | string>>;

/** Declarations in the first lines of a script, one `--word: names` each. */
interface Header {
  /** Other scripts of the folder that precede it. */
  readonly uses: readonly string[];
  readonly keys: readonly string[];
  /** Arguments that are numbers, before all others. */
  readonly numbers: readonly string[];
  readonly args: readonly string[];
  /** Arguments behind those come in groups of these; `group(at)` gives the names of one, from 0, of `group_count()`. */
  readonly group: readonly string[];
  /** Or any number of them, as a list of this name. */
  readonly rest: readonly string[];
}

const WORDS = ['uses', 'keys', 'numbers', 'args', 'group', 'rest'] as const;

/** The header of a script's text. */
export function scriptHeader(text: string): Header {
  const names = (word: string): readonly string[] => {
    const [, listed = ''] = new RegExp(`^--${word}:(.*)$`, 'm').exec(text) ?? [];
    return listed.split(',').flatMap((name) => (name.trim() === '' ? [] : [name.trim()]));
  };
  const [uses, keys, numbers, args, group, rest] = WORDS.map(names) as [
    string[],
    string[],
    string[],
    string[],
    string[],
    string[],
  ];
  return { uses, keys, numbers, args, group, rest };
}

const literal = (value: number | string): string => {
  if (typeof value === 'number') return String(value);
  if (/['\\\n]/.test(value)) throw new Error(`no word of a script: ${value}`);
  return `'${value}'`;
};

/** Gives every key and argument its name. */
function locals({ keys, numbers, args, group, rest }: Header): readonly string[] {
  const [list] = rest;
  const before = numbers.length + args.length;
  return [
    ...keys.map((name, at) => `local ${name} = KEYS[${at + 1}]`),
    ...numbers.map((name, at) => `local ${name} = tonumber(ARGV[${at + 1}])`),
    ...args.map((name, at) => `local ${name} = ARGV[${numbers.length + at + 1}]`),
    ...(group.length === 0
      ? []
      : [
          `local function group_count() return (#ARGV - ${before}) / ${group.length} end`,
          `local function group(at) return unpack(ARGV, ${before + 1} + at * ${group.length}, ${before} + (at + 1) * ${group.length}) end`,
        ]),
    ...(list === undefined
      ? []
      : [`local ${list} = {}`, `for at = ${before + 1}, #ARGV do ${list}[#${list} + 1] = ARGV[at] end`]),
  ];
}

/** A script of a file with its declared parameters before the arguments. */
export interface NamedScript extends RedisScript {
  readonly keys: readonly string[];
  readonly numbers: readonly string[];
}

/**
 * The script of a file `<name>.lua`, with a name for each of its keys and arguments, for each constant, and with the
 * scripts it uses before it. Read once, when the program is loaded.
 *
 * @param folder where the files are, with `/` at its end
 */
export function scriptFile(folder: URL, name: string, constants: ScriptConstants = {}): NamedScript {
  const read = (one: string): string => readFileSync(new URL(`${one}.lua`, folder), 'utf8');
  const text = read(name);
  const header = scriptHeader(text);
  const known = Object.entries(constants).map(([word, value]) => `local ${word} = ${literal(value)}`);
  const script = redisScript([...locals(header), ...known, ...header.uses.map(read), text].join('\n'));
  return { ...script, keys: header.keys, numbers: header.numbers };
}
