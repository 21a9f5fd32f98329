/** Says on stderr what is being done, so that a slow step is never a silent one. @param {string} text */
export const say = (text) => void process.stderr.write(`engines: ${text}\n`);

/** What went wrong, in words. @param {unknown} error @returns {string} */
export function reasonOf(error) {
  if (!(error instanceof Error)) return String(error);
  // A connection refused on every address of a name has only a code.
  return error.message === '' ? String(Reflect.get(error, 'code') ?? error.name) : error.message;
}
