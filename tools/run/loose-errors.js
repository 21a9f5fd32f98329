// A reporter of vitest's that says whether anything was thrown outside of every test; its JSON does not.
import { writeFileSync } from 'node:fs';

/** The variable with the path of the file that is there afterwards if anything was. */
export const LOOSE_ERRORS = 'CARILLON_LOOSE_ERRORS';

export default class LooseErrors {
  onTestRunEnd(_files, errors) {
    const path = process.env[LOOSE_ERRORS];
    if (errors.length > 0 && path !== undefined) writeFileSync(path, String(errors.length));
  }
}
