import type { RunReport } from './run.js';

/** One run in one line. */
export const lineOf = (driver: string, report: RunReport): string => {
  const { fault, seed, violations, published, delivered, lostInGaps, tookMs } = report;
  const verdict = violations.length === 0 ? 'holds' : `BROKEN in ${violations.length} ways`;
  const counts = `${published} published, ${delivered} delivered, ${lostInGaps} lost in gaps`;
  return `${driver} ${fault} seed ${seed}: ${verdict}; ${counts}; ${(tookMs / 1000).toFixed(1)} s`;
};

/** All runs of one fault in one line. */
export const sumOf = (driver: string, fault: string, reports: readonly RunReport[]): string => {
  const broken = reports.filter(({ violations }) => violations.length > 0).map(({ seed }) => seed);
  const held = reports.length - broken.length;
  return `${driver} ${fault}: ${held} of ${reports.length} hold${broken.length === 0 ? '' : `; broken: ${broken.join(' ')}`}`;
};
