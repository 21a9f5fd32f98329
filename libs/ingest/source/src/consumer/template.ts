import { BadMessage } from './bad-message.js';

/** Values that paths of a template start at. */
export interface TemplateInput {
  readonly payload: unknown;
  readonly headers: Readonly<Record<string, string>>;
  readonly key: string | null;
  readonly topic: string;
}

type Step = number | string;
type Part = { readonly text: string } | { readonly path: string; readonly steps: readonly Step[] };

const ROOTS: ReadonlySet<string> = new Set(['payload', 'headers', 'key', 'topic']);
const MAX_STEPS = 10;
const STEP = /^(?:\.([A-Za-z0-9_-]{1,64})|\[(\d{1,9})\])/;

/** Text with placeholders `{path}`; `{{` and `}}` are literal braces. */
export class Template {
  readonly #parts: readonly Part[];

  /** @throws Error `invalid path in "…"` */
  constructor(private readonly source: string) {
    this.#parts = partsOf(source);
  }

  /** The value: of a single placeholder its JSON value, otherwise text. @throws BadMessage */
  value(input: TemplateInput): unknown {
    const [only] = this.#parts;
    if (this.#parts.length !== 1 || only === undefined || 'text' in only) return this.text(input);
    const found = valueAt(input, only.steps);
    if (found === undefined) throw missing(only.path, this.source);
    return found;
  }

  /** @throws BadMessage `mapping_missing` for an absent path or null, `mapping_type` for an object or an array */
  text(input: TemplateInput): string {
    return this.#parts
      .map((part) => {
        if ('text' in part) return part.text;
        const found = valueAt(input, part.steps);
        if (found === undefined || found === null) throw missing(part.path, this.source);
        if (typeof found !== 'string' && typeof found !== 'number' && typeof found !== 'boolean')
          throw new BadMessage('mapping_type', `${part.path} is not a string, number or boolean`);
        return String(found);
      })
      .join('');
  }
}

const missing = (path: string, source: string): BadMessage =>
  new BadMessage('mapping_missing', `${path} of "${source}" does not exist`);

function valueAt(input: TemplateInput, steps: readonly Step[]): unknown {
  let value: unknown = input;
  for (const step of steps) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<Step, unknown>)[step];
  }
  return value;
}

function partsOf(source: string): readonly Part[] {
  const parts: Part[] = [];
  let text = '';
  for (let at = 0; at < source.length; at += 1) {
    const two = source.slice(at, at + 2);
    if (two === '{{' || two === '}}') {
      text += two[0];
      at += 1;
    } else if (source[at] === '{') {
      const end = source.indexOf('}', at);
      if (text !== '') parts.push({ text });
      text = '';
      parts.push(pathOf(source, end === -1 ? '' : source.slice(at + 1, end)));
      at = end;
    } else if (source[at] === '}') throw invalid(source);
    else text += source[at];
  }
  if (text !== '' || parts.length === 0) parts.push({ text });
  return parts;
}

function pathOf(source: string, path: string): Part {
  const [root = ''] = /^[a-z]+/.exec(path) ?? [];
  if (!ROOTS.has(root)) throw invalid(source);
  const steps: Step[] = [root];
  let rest = path.slice(root.length);
  while (rest !== '') {
    const [whole, name, index] = STEP.exec(rest) ?? [];
    if (whole === undefined || steps.length > MAX_STEPS) throw invalid(source);
    steps.push(name ?? Number(index));
    rest = rest.slice(whole.length);
  }
  return { path, steps };
}

const invalid = (source: string): Error => new Error(`invalid path in "${source}"`);
