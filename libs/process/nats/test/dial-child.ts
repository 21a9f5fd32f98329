// Dials as its argument says, asks once more, and hangs up.
import { dial, type DialOptions } from '../src/dial.js';

const options = JSON.parse(process.argv[2] ?? '') as DialOptions;
const connection = await dial({ ...options, onEvent: () => {} }).catch(() => null);
if (connection === null) process.stdout.write('not let in\n');
else {
  const answered = await new Promise<boolean>((resolve) => connection.ping(resolve));
  process.stdout.write(`let in, ${answered ? 'answered' : 'over'}\n`);
  await connection.close();
}
