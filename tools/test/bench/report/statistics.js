/**
 * A quantile of a histogram of microseconds, in milliseconds; null when it is empty.
 * @param {import('../load/histogram.js').Histogram} histogram
 * @param {number} share
 */
export function quantileMs(histogram, share) {
  const us = histogram.quantile(share);
  return us === null ? null : us / 1000;
}

/** The median of what is there; null when nothing is. @param {(number | null)[]} values */
export function median(values) {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle];
  if (upper === undefined) return null;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}

/** @param {number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** How steeply the points rise, by least squares; null with fewer than two places. @param {{ x: number, y: number }[]} points */
export function slope(points) {
  const meanX = mean(points.map(({ x }) => x));
  const meanY = mean(points.map(({ y }) => y));
  const spread = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  if (!(spread > 0)) return null;
  return points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / spread;
}
