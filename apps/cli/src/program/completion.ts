import { flagsOf } from './parse.js';
import { type CommandSpec, flagName, takesValue } from './spec.js';

type Shell = 'bash' | 'fish' | 'zsh';

/** Words that may follow at one place of the command line. */
interface Place {
  /** Command names so far, separated by spaces; empty: none. */
  readonly path: string;
  readonly words: readonly string[];
}

function places(spec: CommandSpec, path: readonly string[] = []): readonly Place[] {
  const names = (spec.commands ?? []).map(({ name }) => name);
  const values = (spec.arguments ?? []).flatMap((one) => one.values ?? []);
  const flags = flagsOf(spec).map((flag) => `--${flagName(flag)}`);
  const own = { path: path.join(' '), words: [...names, ...values, ...flags] };
  return [own, ...(spec.commands ?? []).flatMap((child) => places(child, [...path, child.name]))];
}

/** Values of flags by the flag; a flag with different values in two commands offers both. */
function flagValues(spec: CommandSpec, profiles: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, readonly string[]>([['--profile', profiles]]);
  const visit = (one: CommandSpec): void => {
    for (const flag of flagsOf(one)) {
      const name = `--${flagName(flag)}`;
      if (flag.values !== undefined)
        found.set(name, [...new Set([...(found.get(name) ?? []), ...flag.values])]);
    }
    for (const child of one.commands ?? []) visit(child);
  };
  visit(spec);
  return found;
}

/** Names of profiles come from a file: only plain ones go into a script. */
const plain = (words: readonly string[]): readonly string[] => words.filter((word) => /^[\w.-]+$/.test(word));

export function completionScript(shell: Shell, root: CommandSpec, profiles: readonly string[]): string {
  const all = places(root);
  const values = flagValues(root, plain(profiles));
  if (shell === 'fish') return fish(all, values, root);
  const script = bash(all, values);
  return shell === 'bash'
    ? script
    : `#compdef carillon\nautoload -U +X bashcompinit && bashcompinit\n${script}`;
}

function bash(all: readonly Place[], values: ReadonlyMap<string, readonly string[]>): string {
  const words = all.map(({ path, words: list }) => `    '${path}') words='${list.join(' ')}' ;;`).join('\n');
  const byFlag = [...values]
    .filter(([, list]) => list.length > 0)
    .map(
      ([flag, list]) => `    ${flag}) COMPREPLY=($(compgen -W '${list.join(' ')}' -- "$current")); return ;;`,
    )
    .join('\n');
  const known = all.filter(({ path }) => path !== '').map(({ path }) => `'${path}'`);
  return `_carillon() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" path='' words='' word next
  case "$previous" in
${byFlag}
  esac
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${path:+$path }$word"
    case "$next" in
      ${known.join('|')}) path="$next" ;;
    esac
  done
  case "$path" in
${words}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _carillon carillon
`;
}

function fish(
  all: readonly Place[],
  values: ReadonlyMap<string, readonly string[]>,
  root: CommandSpec,
): string {
  const taking = new Set<string>();
  const visit = (one: CommandSpec): void => {
    for (const flag of flagsOf(one)) if (takesValue(flag)) taking.add(`--${flagName(flag)}`);
    for (const child of one.commands ?? []) visit(child);
  };
  visit(root);
  const lines = all.flatMap(({ path, words }) => {
    const flags = words.filter((word) => word.startsWith('--'));
    const names = words.filter((word) => !word.startsWith('--'));
    const condition = `-n "test (__carillon_path) = ${quoted(path)}"`;
    return [
      ...(names.length === 0 ? [] : [`complete -c carillon -f ${condition} -a '${names.join(' ')}'`]),
      ...flags.map((flag) => {
        const list = values.get(flag) ?? [];
        const value = !taking.has(flag) ? '' : list.length > 0 ? ` -x -a '${list.join(' ')}'` : ' -r';
        return `complete -c carillon ${condition} -l ${flag.slice(2)}${value}`;
      }),
    ];
  });
  const known = all.map(({ path }) => quoted(path)).join(' ');
  return `function __carillon_path
  set -l path ''
  for word in (commandline -opc)[2..-1]
    set -l next (string trim -- "$path $word")
    if contains -- "$next" ${known}
      set path "$next"
    end
  end
  echo "$path"
end
${lines.join('\n')}
`;
}

const quoted = (path: string): string => `'${path}'`;
