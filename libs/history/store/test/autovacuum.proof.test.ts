import { expect, it, vi } from 'vitest';
import { corner, openPostgres } from './scene.js';
import { fillAndTrim } from './trimmed.js';

it('the space of trimmed rows is used again by what the server does of itself', async () => {
  const { url, end } = await corner();
  const opened = await openPostgres(url);
  const cleaned = async (): Promise<number> => {
    const { rows } = await opened.database.query(
      `select sum(autovacuum_count)::int as times from pg_stat_user_tables where relname like 'service_history_records_%'`,
    );
    return Number(rows[0]?.['times']);
  };
  const sizes: number[] = [];
  for (let round = 1; round <= 6; round += 1) {
    sizes.push(
      await fillAndTrim(opened, round, async () => {
        // It waits until a thousand rows are gone from a part.
        if (round % 2 !== 0) return;
        const before = await cleaned();
        await vi.waitFor(async () => expect(await cleaned()).toBeGreaterThan(before), {
          timeout: 60_000,
          interval: 500,
        });
      }),
    );
  }
  expect(sizes.at(-1)).toBeLessThan(1.5 * (sizes[1] ?? 0));
  await opened.close();
  await end();
}, 200_000);
