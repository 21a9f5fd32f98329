import { parse as parseToml, TomlError } from 'smol-toml';
import { jsonErrorOffset } from './json-error-offset.js';

export type ParsedFile = { readonly raw: unknown } | { readonly message: string };

function syntaxError(path: string, line: number, column: number): ParsedFile {
  return { message: `${path}: syntax error at line ${line}, column ${column}` };
}

function readToml(path: string, text: string): ParsedFile {
  try {
    return { raw: parseToml(text) };
  } catch (error) {
    if (error instanceof TomlError) return syntaxError(path, error.line, error.column);
    return { message: `${path}: not valid TOML` };
  }
}

function readJson(path: string, text: string): ParsedFile {
  try {
    return { raw: JSON.parse(text) as unknown };
  } catch {
    const before = text.slice(0, jsonErrorOffset(text)).split('\n');
    return syntaxError(path, before.length, (before.at(-1)?.length ?? 0) + 1);
  }
}

/** Reads the text by the suffix of its file. The message never quotes the text: it may hold a secret. */
export const parseFile = (path: string, text: string): ParsedFile =>
  path.endsWith('.toml') ? readToml(path, text) : readJson(path, text);
