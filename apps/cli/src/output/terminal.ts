import { EXIT } from '../program/exit-codes.js';
import type { CommandError } from '../program/errors.js';
import { escapeText, jsonText } from './escape.js';
import { tableLines, type Row } from './table.js';

/** A stream as the command uses it. */
export interface OutputStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

export interface TerminalOptions {
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** Null: the terminal and the environment decide. */
  readonly color: boolean | null;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const STYLES = {
  dim: [2, 22],
  bold: [1, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
  cyan: [36, 39],
} as const;
export type Style = keyof typeof STYLES;

/** Writes results to standard output; notes, warnings and errors to standard error. */
export class Terminal {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;

  constructor(private readonly options: TerminalOptions) {
    this.json = options.json;
    this.quiet = options.quiet;
    this.verbose = options.verbose;
  }

  get isInteractive(): boolean {
    return this.options.stderr.isTTY === true;
  }

  /** Whether a progress bar may be shown. */
  get showsProgress(): boolean {
    return this.isInteractive && !this.json && !this.quiet;
  }

  /** One line of a human result; control characters of `text` are escaped. */
  line(text: string, style?: Style): void {
    this.options.stdout.write(`${this.styled(escapeText(text), style)}\n`);
  }

  /** Text that is the result as it is, such as a token or a script. */
  text(text: string): void {
    this.options.stdout.write(text);
  }

  /** One JSON document, or one line of a stream. */
  document(value: unknown): void {
    this.options.stdout.write(`${jsonText(value)}\n`);
  }

  /** The JSON document, or with human output what `human` prints. */
  result(value: unknown, human: () => void): void {
    if (this.json) this.document(value);
    else human();
  }

  /** A table of human output. Without rows: a note. */
  table(columns: readonly string[], rows: readonly Row[], empty: string): void {
    if (rows.length === 0) return this.note(empty);
    const { stdout } = this.options;
    const width = stdout.isTTY === true ? (stdout.columns ?? null) : null;
    const [header = '', ...lines] = tableLines(columns, rows, width);
    stdout.write(`${this.styled(header, 'bold')}\n${lines.map((line) => `${line}\n`).join('')}`);
  }

  /** Text with a style if standard output has colours. */
  styled(text: string, style?: Style): string {
    return style === undefined || !this.#hasColor(this.options.stdout) ? text : paint(text, style);
  }

  note(text: string): void {
    if (!this.quiet) this.#complain(text);
  }

  warn(text: string): void {
    if (!this.quiet) this.#complain(`${this.#label('warning:', 'yellow')} ${escapeText(text)}`, true);
  }

  /** A line that only `--verbose` prints. */
  trace(text: string): void {
    if (this.verbose) this.#complain(text);
  }

  error(error: CommandError, docs: string): void {
    const { message, code, status, exitCode, cure } = error;
    if (this.json) {
      const document = { error: message, code, status, exit_code: exitCode, cure, docs };
      this.#complain(jsonText(document), true);
    } else {
      this.#complain(`${this.#label('error:', 'red')} ${escapeText(message)}`, true);
      if (cure !== null) this.#complain(`cure: ${escapeText(cure)}`, true);
      if (exitCode !== EXIT.interrupted && exitCode !== EXIT.terminated)
        this.#complain(`docs: ${docs}`, true);
    }
    if (this.verbose && error.cause instanceof Error) this.#complain(error.cause.stack ?? '');
  }

  /** Replaces the last line of standard error; an empty text erases it. */
  progress(text: string): void {
    if (this.showsProgress) this.options.stderr.write(`\r\u001b[2K${escapeText(text)}`);
  }

  #label(text: string, style: Style): string {
    return this.#hasColor(this.options.stderr) ? paint(text, style) : text;
  }

  #complain(text: string, isEscaped = false): void {
    const safe = isEscaped ? text : text.split('\n').map(escapeText).join('\n');
    this.options.stderr.write(`${safe}\n`);
  }

  #hasColor({ isTTY }: OutputStream): boolean {
    const { color, env } = this.options;
    if (color !== null) return color;
    return isTTY === true && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';
  }
}

function paint(text: string, style: Style): string {
  const [on, off] = STYLES[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}
