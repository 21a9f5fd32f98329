/** Generous: a frame of the largest size takes a few milliseconds where cost is linear, minutes where it is not. */
export const MAX_CPU_MS = 500;

/** CPU time of this process for the work, the least of some tries: other processes must not count.
 * @param {() => void} work @param {number} tries */
export function cpuMs(work, tries) {
  let least = Infinity;
  for (let left = tries; left > 0; left -= 1) {
    const before = process.cpuUsage();
    work();
    const { user, system } = process.cpuUsage(before);
    least = Math.min(least, (user + system) / 1000);
  }
  return least;
}
