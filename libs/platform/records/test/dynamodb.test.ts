import { engine } from '@carillon/test-backends';
import { configuration } from '@carillon/testing';
import { afterAll, beforeAll, describe } from 'vitest';
import { openDynamoRecords } from '../src/drivers/dynamodb/open.js';
import type { RecordsBackend } from './backend.js';
import { recordsConformance } from './conformance.js';

/** Long, because a busy machine answers late; calls that nothing answers have a limit of their own. */
const TIMEOUT_MS = 15_000;

describe('DynamoDB', () => {
  let server: Awaited<ReturnType<typeof engine>>;
  beforeAll(async () => {
    server = await engine('moto', { own: true });
  });
  afterAll(() => server.release());

  const backend: RecordsBackend = {
    open: (table, timeoutMs = TIMEOUT_MS) =>
      openDynamoRecords({
        table,
        config: configuration({
          DATABASE_DYNAMODB_ENDPOINT_URL: server.url,
          AWS_ACCESS_KEY_ID: 'carillon',
          AWS_SECRET_ACCESS_KEY: 'secret',
        }),
        timeoutMs,
      }),
    server: { restart: null, pause: () => server.pause(), resume: () => server.resume() },
  };
  recordsConformance('DynamoDB (moto, which loses its rows when it restarts)', backend);
});
