/** How many of `total` fall to this process when they are dealt out one by one. @param {number} total @param {{ index: number, of: number }} share */
export const shareOf = (total, { index, of }) => Math.floor((total - index + of - 1) / of);

/** Runs `work` for 0..count-1 with at most `limit` at a time; the first failure ends it. @param {number} count @param {number} limit @param {(index: number) => Promise<void>} work */
export async function inParallel(count, limit, work) {
  let next = 0;
  let failed = false;
  const lane = async () => {
    while (next < count && !failed) {
      next += 1;
      try {
        await work(next - 1);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(count, limit) }, lane));
}
