import { createHash } from 'node:crypto';

const SCORE_BYTES = 6;

/** Rendezvous-hashing score of a writer for a lane. */
const score = (writerId: string, lane: number): number =>
  createHash('sha256').update(`${writerId}\0${lane}`).digest().readUIntBE(0, SCORE_BYTES);

/**
 * Returns the writer that serves a lane: the one with the highest score. All processes that know the same writers
 * compute the same result, and a joining or leaving writer moves only its own lanes. Null: there is no writer.
 */
export function serverOf(lane: number, writerIds: Iterable<string>): string | null {
  let best: { readonly writerId: string; readonly score: number } | null = null;
  for (const writerId of writerIds) {
    const own = { writerId, score: score(writerId, lane) };
    // On equal scores the smaller id wins, independent of the order.
    if (best === null || own.score > best.score || (own.score === best.score && writerId < best.writerId))
      best = own;
  }
  return best?.writerId ?? null;
}
