import { resolve } from 'node:path';
import type { Files } from './files.js';

/** The text of the configuration file and the name it was found under; or the reason there is none. */
export type Discovered =
  | { readonly kind: 'none' }
  | { readonly kind: 'read'; readonly path: string; readonly text: string }
  | { readonly kind: 'failed'; readonly path: string; readonly message: string };

const DEFAULTS = ['config/config.toml', 'config/config.json'];

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown reason';
  return code;
}

function open(files: Files, cwd: string, path: string): Discovered {
  const absolute = resolve(cwd, path);
  if (!files.exists(absolute)) return { kind: 'failed', path, message: `file not found: ${path}` };
  try {
    return { kind: 'read', path, text: files.read(absolute).replace(/^\uFEFF/, '') };
  } catch (error) {
    return { kind: 'failed', path, message: `file cannot be read: ${path} (${reason(error)})` };
  }
}

/** A named file is the only candidate; otherwise the first default that exists. Files are never merged. */
export function discover(files: Files, cwd: string, named: string | null): Discovered {
  if (named !== null) return open(files, cwd, named);
  const found = DEFAULTS.find((path) => files.exists(resolve(cwd, path)));
  return found === undefined ? { kind: 'none' } : open(files, cwd, found);
}
