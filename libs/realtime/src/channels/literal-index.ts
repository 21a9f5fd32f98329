import type { Fact } from '@carillon/protocol';
import type { Codec, LiteralSelector } from '../codec.js';

type LiteralsOf = LiteralSelector['literalsOf'];

/** Whether the codec may produce a frame for a fact, judged by its literals alone. */
export function isSelected({ selector }: Codec, fact: Fact): boolean {
  if (selector === undefined || fact.kind !== 'message') return true;
  const carried = selector.literalsOf(fact);
  return selector.literals.some((literal) => carried.has(literal));
}

/** Topics of a channel or pattern by the literals of their codecs (hash index). */
export class LiteralIndex<Entry extends { readonly codec: Codec }> {
  /** Entries whose codec has no literals. */
  readonly #plain = new Set<Entry>();
  readonly #byLiteral = new Map<LiteralsOf, Map<string, Set<Entry>>>();

  constructor(entries: Iterable<Entry> = []) {
    for (const entry of entries) this.add(entry);
  }

  /** Whether no entry has literals: then the index is not needed. */
  get isEmpty(): boolean {
    return this.#byLiteral.size === 0;
  }

  add(entry: Entry): void {
    const { selector } = entry.codec;
    if (selector === undefined) return void this.#plain.add(entry);
    const { literals, literalsOf } = selector;
    const index = this.#byLiteral.get(literalsOf) ?? new Map<string, Set<Entry>>();
    this.#byLiteral.set(literalsOf, index);
    for (const literal of literals) {
      const entries = index.get(literal);
      if (entries === undefined) index.set(literal, new Set([entry]));
      else entries.add(entry);
    }
  }

  remove(entry: Entry): void {
    this.#plain.delete(entry);
    const { selector } = entry.codec;
    const index = selector === undefined ? undefined : this.#byLiteral.get(selector.literalsOf);
    if (selector === undefined || index === undefined) return;
    for (const literal of selector.literals) {
      const entries = index.get(literal);
      entries?.delete(entry);
      if (entries?.size === 0) index.delete(literal);
    }
    if (index.size === 0) this.#byLiteral.delete(selector.literalsOf);
  }

  /** Returns the entries that may have a frame of the fact; null: all of them. */
  selected(fact: Fact): ReadonlySet<Entry> | null {
    if (fact.kind !== 'message') return null;
    const selected = new Set(this.#plain);
    for (const [literalsOf, index] of this.#byLiteral) {
      for (const literal of literalsOf(fact))
        for (const entry of index.get(literal) ?? []) selected.add(entry);
    }
    return selected;
  }
}
