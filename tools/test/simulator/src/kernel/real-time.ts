// Read before the globals are replaced: the scheduler itself needs the real event loop.
export const realSetImmediate = globalThis.setImmediate;
export const realNow: () => number = performance.now.bind(performance);
