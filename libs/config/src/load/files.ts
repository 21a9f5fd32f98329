import { existsSync, readFileSync } from 'node:fs';

/** All the configuration ever does with files. */
export interface Files {
  exists(path: string): boolean;
  /** Throws if the file cannot be read; the error's `code` may give the reason. */
  read(path: string): string;
}

export const nodeFiles: Files = {
  exists: (path) => existsSync(path),
  read: (path) => readFileSync(path, 'utf8'),
};
