/**
 * Microseconds on the machine's monotonic clock. All processes of one machine read the same clock, so a time taken by
 * the publisher may be subtracted from one taken by a subscriber in another process.
 */
export const nowUs = () => Number(process.hrtime.bigint() / 1000n);

/**
 * Resolves at the given time of `nowUs`, at once when it has passed.
 * @param {number} atUs
 * @returns {Promise<void>}
 */
export const until = (atUs) =>
  new Promise((done) => {
    setTimeout(done, Math.max(0, (atUs - nowUs()) / 1000));
  });
