import { Template, type TemplateInput } from './template.js';

/** Templates of a source, by the names of its settings. */
export interface ConsumerMap {
  readonly channel: string | null;
  readonly event: string | null;
  readonly data: string | null;
  readonly message_id: string | null;
  readonly idempotency_key: string | null;
  readonly op_id: string | null;
  readonly message: string | null;
  readonly op: string | null;
  readonly extras: Readonly<Record<string, string>>;
  readonly tags: Readonly<Record<string, string>>;
}

const TEXTS = ['channel', 'message_id', 'idempotency_key', 'op_id', 'message'] as const;

/** The member of a command that holds the content of each operation. */
const CONTENT: Readonly<Record<string, string>> = { update: 'changes', push: 'body' };

/** Makes commands of messages by templates. */
export class Mapping {
  readonly #op: string;
  readonly #texts: readonly (readonly [string, Template])[];
  readonly #data: Template | null;
  readonly #tables: readonly (readonly [string, readonly (readonly [string, Template])[]])[];

  /** @throws Error `invalid path in "…"` */
  constructor(map: ConsumerMap) {
    this.#op = map.op ?? 'publish';
    const named = TEXTS.map((name) => [name, map[name]] as const);
    this.#texts = [...named, ['name', map.event] as const].flatMap(([name, source]) =>
      source === null ? [] : [[name, new Template(source)] as const],
    );
    this.#data = map.data === null ? null : new Template(map.data);
    this.#tables = (['extras', 'tags'] as const)
      .map(
        (name) => [name, Object.entries(map[name]).map(([k, v]) => [k, new Template(v)] as const)] as const,
      )
      .filter(([, entries]) => entries.length > 0);
  }

  /** The command as JSON text. `payloadText` is its data where the map names none. @throws BadMessage */
  apply(input: TemplateInput, payloadText: string): string {
    const members: (readonly [string, string])[] = [['op', JSON.stringify(this.#op)]];
    for (const [name, template] of this.#texts) members.push([name, JSON.stringify(template.text(input))]);
    for (const [name, entries] of this.#tables) {
      const values = entries.map(([key, template]) => [key, this.#tableValue(name, template, input)]);
      members.push([name, JSON.stringify(Object.fromEntries(values))]);
    }
    if (this.#op !== 'delete')
      members.push([
        CONTENT[this.#op] ?? 'data',
        this.#data === null ? payloadText : JSON.stringify(this.#data.value(input)),
      ]);
    return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(',')}}`;
  }

  /** Tags are text; members of `extras` keep their values. */
  #tableValue(table: string, template: Template, input: TemplateInput): unknown {
    return table === 'tags' ? template.text(input) : template.value(input);
  }
}
