/** Says on stderr what is being done, so that a slow step is never a silent one. @param {string} text */
export const say = (text) => void process.stderr.write(`engines: ${text}\n`);
