import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { collect, until, type Scene } from '../scene.js';

/** Texts of these units are returned unchanged; `inOrder`: in order. */
export function givesBackAnyText(
  openScene: () => Promise<Scene>,
  { unit, numRuns, inOrder }: { unit: 'binary' | 'grapheme'; numRuns: number; inOrder: boolean },
): void {
  const arranged = (list: readonly string[]): readonly string[] => (inOrder ? list : list.toSorted());
  it('gives back any text as it was', async () => {
    const queue = await (await openScene()).open();
    const jobs = collect(queue, 'q');
    const texts = fc.array(fc.string({ unit }), { minLength: 1, maxLength: 20 });
    await fc.assert(
      fc.asyncProperty(texts, async (sent) => {
        jobs.length = 0;
        await queue.enqueueBatch(
          'q',
          sent.map((data) => ({ data })),
        );
        await until(() => jobs.length === sent.length);
        expect(arranged(jobs.map(({ data }) => data))).toEqual(arranged(sent));
      }),
      { numRuns },
    );
  });
}
