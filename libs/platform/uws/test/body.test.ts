import * as fc from 'fast-check';
import type { HttpResponse as NativeResponse } from 'uWebSockets.js';
import { describe, expect, it } from 'vitest';
import { BodyRoom } from '../src/http/body-room.js';
import { type BodyOutcome, BodyReader } from '../src/http/body.js';

/** A reader and the native callback that feeds it; the fed buffer is spoiled afterwards, as the native one is. */
function reading(limit: number, declaredLength = 0) {
  const feeds: ((chunk: ArrayBuffer, isLast: boolean) => void)[] = [];
  const native = { onData: (take: (typeof feeds)[number]) => feeds.push(take) } as unknown as NativeResponse;
  const reader = new BodyReader(limit, true, new BodyRoom(Infinity));
  reader.read(native, declaredLength);
  const outcomes: BodyOutcome[] = [];
  reader.whenDone((outcome) => outcomes.push(outcome));
  const give = (bytes: Uint8Array, isLast: boolean): void => {
    const chunk = Uint8Array.from(bytes);
    feeds[0]?.(chunk.buffer, isLast);
    chunk.fill(0xff);
  };
  return { give, outcomes };
}

describe('a body', () => {
  it('is the same however it is cut, and too large from the first byte over the limit', () => {
    const piece = fc.uint8Array({ maxLength: 40 });
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 20 }), fc.nat(400), (pieces, limit) => {
        const { give, outcomes } = reading(limit);
        for (const [index, bytes] of pieces.entries()) give(bytes, index === pieces.length - 1);
        const whole = Buffer.concat(pieces);
        expect(outcomes).toEqual([
          whole.length > limit ? { tooLarge: true } : { tooLarge: false, bytes: whole, length: whole.length },
        ]);
      }),
    );
  });

  it('costs about its own size, even when every byte comes alone', () => {
    const size = 500_000;
    const { give, outcomes } = reading(size);
    const one = Uint8Array.of(7);
    const { heapUsed, external } = process.memoryUsage();
    for (let index = 0; index < size; index += 1) give(one, false);
    globalThis.gc?.();
    const after = process.memoryUsage();
    give(new Uint8Array(0), true);
    expect(outcomes[0]).toMatchObject({ tooLarge: false, length: size });
    expect(after.heapUsed + after.external - heapUsed - external).toBeLessThan(25_000_000);
  });
});
