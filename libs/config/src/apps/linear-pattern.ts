import { createRequire } from 'node:module';
import type { RE2JS } from 're2js';

// The engine is large and most installations have no pattern at all, so it is loaded by the first one; in this
// form because reading a record is synchronous.
const require = createRequire(import.meta.url);
let engine: typeof import('re2js') | undefined;

function compile(source: string): RE2JS {
  engine ??= require('re2js') as typeof import('re2js');
  return engine.RE2JS.compile(source);
}

/**
 * A regular expression that is matched in time linear in the text, for untrusted patterns and texts. Look-around and
 * back-references do not exist in this dialect (RE2). Compiled once, on first use.
 */
export class LinearPattern {
  readonly source: string;
  #compiled: RE2JS | Error | undefined;

  constructor(source: string) {
    this.source = source;
  }

  /** Why it does not compile; null when it does. */
  problem(): string | null {
    const compiled = this.#compile();
    return compiled instanceof Error ? compiled.message.replace(/^error parsing regexp: /, '') : null;
  }

  /** Whether the pattern occurs anywhere in the text. Always false when it does not compile. */
  matches(text: string): boolean {
    const compiled = this.#compile();
    return !(compiled instanceof Error) && compiled.test(text);
  }

  #compile(): RE2JS | Error {
    if (this.#compiled === undefined) {
      try {
        this.#compiled = compile(this.source);
      } catch (thrown) {
        this.#compiled = thrown instanceof Error ? thrown : new Error(String(thrown));
      }
    }
    return this.#compiled;
  }
}
