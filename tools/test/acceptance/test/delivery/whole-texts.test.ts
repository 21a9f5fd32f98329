import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { ClientV2, type FrameV2 } from '../harness/client-v2.js';
import { onServer } from '../harness/every-app.js';
import { done, LIVING, made } from '../harness/living.js';
import { openTenant } from '../harness/tenant.js';

const shop = openTenant('shop', { channels: { annotations_enabled: true } });
const env = { ...LIVING, CONNECTION_RECOVERY_ENABLED: 'true', CONNECTION_RECOVERY_MAX_BUFFER_SIZE: '100' };

type Change = readonly ['append' | 'delete' | 'update', string];

const text = (frame: FrameV2) => [frame.serial, frame.data];

const change: fc.Arbitrary<Change> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.tuple(fc.constant('append' as const), fc.constantFrom('x', '\n"', 'é😀', ' z')),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.constantFrom('update' as const, 'delete' as const), fc.constantFrom('X', '')),
  },
);

onServer('append_mode=full', { tenants: [shop], env }, (node) => {
  let channels = 0;

  it('shows each version with its own text when it is replayed, from whatever position', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 8 }), async (changes) => {
        channels += 1;
        const channel = `doc-${channels}`;
        const { path } = await made(node, channel, 'a');
        const live = await ClientV2.connect(node, { query: '&append_mode=full' });
        const joined = await live.subscribe(channel);
        let whole = 'a';
        const expected: [number, string][] = [];
        for (const [at, [kind, data]] of changes.entries()) {
          await done(node, `${path}/${kind}`, { data });
          whole = kind === 'append' ? whole + data : data;
          expected.push([at + 2, whole]);
        }
        const heard: unknown[] = [];
        while (heard.length < expected.length) heard.push(text(await live.next()));
        expect(heard).toEqual(expected);
        for (let serial = 1; serial <= changes.length; serial += 1) {
          const back = await ClientV2.connect(node, { query: '&append_mode=full' });
          await back.subscribe(channel);
          const position = { stream_id: joined.stream_id ?? '', serial };
          const { frames, answer } = await back.resume({ [channel]: position });
          expect(answer.failed).toEqual([]);
          expect(frames.map(text)).toEqual(expected.slice(serial - 1));
        }
      }),
      { numRuns: 12 },
    );
  });
});
