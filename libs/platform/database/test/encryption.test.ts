import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { emptyDatabase, failure, processWith, settings } from './scene.js';

describe('the connection to PostgreSQL', () => {
  it('is not made in clear when the environment asks for encryption', async () => {
    const { databases } = await processWith(settings('postgres', await emptyDatabase('postgres')));
    const database = databases.use('postgres');
    onTestFinished(() => database.close());
    vi.stubEnv('PGSSLMODE', 'require');
    expect(await failure(database.connect())).toMatchObject({
      name: 'DatabaseUnavailable',
      message: 'The server does not support SSL connections',
    });
  });
});
