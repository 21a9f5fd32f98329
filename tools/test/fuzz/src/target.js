/**
 * @typedef {object} Growth what an input grows by: `before`, then `piece` again and again, then `after`
 * @property {string} name
 * @property {string} [before]
 * @property {string} piece
 * @property {string} [after]
 */

/**
 * @typedef {object} Target something that clients can reach
 * @property {string} name also the folder of its corpus
 * @property {readonly string[]} tokens pieces that mean something to it
 * @property {readonly string[]} outcomes what thousands of made inputs must come to, each at least once: otherwise they test nothing there
 * @property {readonly Growth[]} growths what it must take linear time for
 * @property {(bytes: Buffer) => string} check throws when a property is broken; else names the outcome in few words
 * @property {(bytes: Buffer) => void} reach only what the service does with the input, to measure its cost
 */

export {};
