// Opens a connection as configured by its environment, and reports the outcome of one round trip.
import { dialerOf } from './settings.js';

const servers = process.argv[2] ?? '';
try {
  const connection = await dialerOf({ NATS_SERVERS: servers, NATS_CONNECTION_TIMEOUT_MS: '3000' }).open();
  const isAnswered = await new Promise<boolean>((resolve) => connection.ping(resolve));
  process.stdout.write(isAnswered ? 'answered' : 'over');
  await connection.close();
} catch (error) {
  process.stdout.write(`refused: ${error instanceof Error ? error.message : ''}`);
}
