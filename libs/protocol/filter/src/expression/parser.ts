import { MalformedFilter } from '../malformed.js';
import { arityProblem } from './functions.js';
import type { ComparatorName, Node } from './node.js';
import { tokensOf, type Token } from './tokens.js';

/** Binding power of a token to its left. Others have none. */
const BINDING: ReadonlyMap<string, number> = new Map([
  ['|', 1],
  ['||', 2],
  ['&&', 3],
  ['==', 5],
  ['!=', 5],
  ['<', 5],
  ['<=', 5],
  ['>', 5],
  ['>=', 5],
  ['[]', 9],
  ['*', 20],
  ['[?', 21],
  ['.', 40],
  ['[', 55],
  ['(', 60],
]);
const NOT_BINDS = 45;
/** A projection ends before signs that bind less. */
const PROJECTION_STOP = 10;
const STAR_BINDS = 20;
/** Deeper nesting would be refused afterwards anyway; this keeps the stack small. */
const MAX_NESTING = 64;

const CURRENT: Node = { type: 'current' };

/** Reads a JMESPath expression by precedence. Throws where it is malformed. */
export function parseExpression(source: string): Node {
  const parser = new Parser(tokensOf(source));
  const node = parser.expression(0);
  parser.expect('end');
  return node;
}

class Parser {
  #at = 0;
  #nesting = 0;

  constructor(private readonly tokens: readonly Token[]) {}

  expression(binding: number): Node {
    this.#nesting += 1;
    if (this.#nesting > MAX_NESTING) throw new MalformedFilter('filter.expression is nested too deeply');
    let left = this.#first(this.#take());
    while (binding < bindingOf(this.#type())) left = this.#then(this.#take().type, left);
    this.#nesting -= 1;
    return left;
  }

  expect(type: string): Token {
    const token = this.#take();
    if (token.type === type) return token;
    throw unexpected(token);
  }

  #type(ahead = 0): string {
    return this.tokens[this.#at + ahead]?.type ?? 'end';
  }

  #take(): Token {
    const token = this.tokens[this.#at] ?? { type: 'end', value: null };
    this.#at += 1;
    return token;
  }

  #takeIf(type: string): boolean {
    if (this.#type() !== type) return false;
    this.#at += 1;
    return true;
  }

  /** Parses a token in prefix position. */
  #first(token: Token): Node {
    switch (token.type) {
      case 'literal':
        return { type: 'literal', value: token.value };
      case 'name':
        return this.#type() === '(' ? this.#call(String(token.value)) : field(token);
      case 'quoted':
        return field(token);
      case '@':
        return CURRENT;
      case '!':
        return { type: 'not', child: this.expression(NOT_BINDS) };
      case '&':
        return { type: 'reference', child: this.expression(0) };
      case '(': {
        const inner = this.expression(0);
        this.expect(')');
        return inner;
      }
      case '{':
        return this.#hash();
      case '*':
        return { type: 'value-projection', left: CURRENT, right: this.#projected(STAR_BINDS) };
      case '[':
        return this.#isSubscript() ? this.#subscript(CURRENT) : this.#list();
      case '[]':
      case '[?':
        return this.#then(token.type, CURRENT);
      default:
        throw unexpected(token);
    }
  }

  /** Parses a token after an expression. */
  #then(type: string, left: Node): Node {
    switch (type) {
      case '.':
        if (!this.#takeIf('*')) return { type: 'chain', left, right: this.#member(40) };
        return { type: 'value-projection', left, right: this.#projected(40) };
      case '|':
        return { type: 'chain', left, right: this.expression(1) };
      case '||':
        return { type: 'or', left, right: this.expression(2) };
      case '&&':
        return { type: 'and', left, right: this.expression(3) };
      case '[]':
        return { type: 'list-projection', left: { type: 'flatten', child: left }, right: this.#projected(9) };
      case '[?': {
        const condition = this.expression(0);
        this.expect(']');
        const right = this.#type() === '[]' ? CURRENT : this.#projected(21);
        return { type: 'filter-projection', left, condition, right };
      }
      case '[':
        return this.#subscript(left);
      case '==':
      case '!=':
      case '<':
      case '<=':
      case '>':
      case '>=':
        return {
          type: 'comparison',
          comparator: type satisfies ComparatorName,
          left,
          right: this.expression(5),
        };
      default:
        throw unexpected({ type, value: null });
    }
  }

  #isSubscript(): boolean {
    const type = this.#type();
    return type === 'number' || type === ':' || (type === '*' && this.#type(1) === ']');
  }

  /** An index, a slice or a star between brackets, the opening one taken. */
  #subscript(left: Node): Node {
    if (this.#takeIf('*')) {
      this.expect(']');
      return { type: 'list-projection', left, right: this.#projected(STAR_BINDS) };
    }
    const parts: (number | null)[] = [null];
    while (this.#type() === 'number' || this.#type() === ':') {
      const token = this.#take();
      if (token.type === ':') parts.push(null);
      else if (parts.at(-1) === null) parts[parts.length - 1] = Number(token.value);
      else throw unexpected(token);
    }
    this.expect(']');
    const [start = null, stop = null, step = null] = parts;
    if (parts.length > 3 || step === 0) throw new MalformedFilter('filter.expression has a malformed slice');
    if (parts.length > 1) {
      const slice: Node = { type: 'chain', left, right: { type: 'slice', start, stop, step } };
      return { type: 'list-projection', left: slice, right: this.#projected(STAR_BINDS) };
    }
    if (start === null) throw new MalformedFilter('filter.expression has a malformed index');
    return { type: 'chain', left, right: { type: 'index', index: start } };
  }

  /** Parses the right side of a projection. */
  #projected(binding: number): Node {
    const type = this.#type();
    if (bindingOf(type) < PROJECTION_STOP) return CURRENT;
    if (type === '[' || type === '[?') return this.expression(binding);
    if (!this.#takeIf('.')) throw unexpected(this.#take());
    return this.#member(binding);
  }

  /** Parses the token after a dot. */
  #member(binding: number): Node {
    const type = this.#type();
    if (type === 'name' || type === 'quoted' || type === '*') return this.expression(binding);
    if (this.#takeIf('[')) return this.#list();
    if (this.#takeIf('{')) return this.#hash();
    throw unexpected(this.#take());
  }

  #list(): Node {
    const items = [this.expression(0)];
    while (this.#takeIf(',')) items.push(this.expression(0));
    this.expect(']');
    return { type: 'list', items };
  }

  #hash(): Node {
    const pairs: [string, Node][] = [];
    do {
      const key = this.#take();
      if (key.type !== 'name' && key.type !== 'quoted') throw unexpected(key);
      this.expect(':');
      pairs.push([String(key.value), this.expression(0)]);
    } while (this.#takeIf(','));
    this.expect('}');
    return { type: 'hash', pairs };
  }

  #call(name: string): Node {
    this.expect('(');
    const args: Node[] = [];
    if (!this.#takeIf(')')) {
      do args.push(this.expression(0));
      while (this.#takeIf(','));
      this.expect(')');
    }
    const problem = arityProblem(name, args.length);
    if (problem !== null) throw new MalformedFilter(problem);
    return { type: 'function', name, args };
  }
}

const bindingOf = (type: string): number => BINDING.get(type) ?? 0;

const field = (token: Token): Node => ({ type: 'field', name: String(token.value) });

function unexpected(token: Token): MalformedFilter {
  return new MalformedFilter(
    token.type === 'end'
      ? 'filter.expression ends too early'
      : 'filter.expression has a word in the wrong place',
  );
}
