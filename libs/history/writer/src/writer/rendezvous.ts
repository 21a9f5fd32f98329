import { createHash } from 'node:crypto';

const SCORE_BYTES = 6;

/** How much a lane likes a writer. */
const score = (writerId: string, lane: number): number =>
  createHash('sha256').update(`${writerId}\0${lane}`).digest().readUIntBE(0, SCORE_BYTES);

/**
 * Who of these serves a lane: the one the lane likes best. Everybody who knows the same writers comes to the same
 * answer, and when one comes or goes only its own lanes move. Null: there is nobody.
 */
export function serverOf(lane: number, writerIds: Iterable<string>): string | null {
  let best: { readonly writerId: string; readonly score: number } | null = null;
  for (const writerId of writerIds) {
    const own = { writerId, score: score(writerId, lane) };
    // Of two that are liked alike the smaller name serves, whatever order they are named in.
    if (best === null || own.score > best.score || (own.score === best.score && writerId < best.writerId))
      best = own;
  }
  return best?.writerId ?? null;
}
