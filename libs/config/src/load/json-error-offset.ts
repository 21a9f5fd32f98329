const SPACE = /[ \t\r\n]*/y;
/** Raw control characters are not allowed in a string; the allowed ones are named. */
const TEXT = String.raw`"(?:[ !#-\[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"`;
const STRING = new RegExp(TEXT, 'y');
const SCALAR = new RegExp(
  String.raw`${TEXT}|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null`,
  'y',
);

class SyntaxFound extends Error {}

/** Walks JSON text only to learn where it stops being JSON; the engine's own error would quote the text. */
class Walker {
  offset = 0;

  constructor(private readonly text: string) {}

  private skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.offset;
    const found = pattern.exec(this.text)?.[0];
    if (found === undefined) return false;
    this.offset += found.length;
    return true;
  }

  private expect(ok: boolean): void {
    if (!ok) throw new SyntaxFound();
  }

  private take(character: string): boolean {
    this.skip(SPACE);
    if (this.text[this.offset] !== character) return false;
    this.offset += 1;
    return true;
  }

  private members(close: string, member: () => void): void {
    if (this.take(close)) return;
    do member();
    while (this.take(','));
    this.expect(this.take(close));
  }

  private value(depth: number): void {
    this.expect(depth < 1000);
    if (this.take('{')) {
      this.members('}', () => {
        this.skip(SPACE);
        this.expect(this.skip(STRING));
        this.expect(this.take(':'));
        this.value(depth + 1);
      });
    } else if (this.take('[')) {
      this.members(']', () => this.value(depth + 1));
    } else {
      this.expect(this.skip(SCALAR));
    }
  }

  walk(): void {
    this.value(0);
    this.skip(SPACE);
  }
}

/**
 * Returns the offset at which invalid JSON text first violates the grammar; its length if the text is only truncated.
 */
export function jsonErrorOffset(text: string): number {
  const walker = new Walker(text);
  try {
    walker.walk();
  } catch (error) {
    if (!(error instanceof SyntaxFound)) throw error;
  }
  return walker.offset;
}
