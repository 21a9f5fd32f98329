// Holds a broker and a store of its own for one installation, outside the process tree that is measured: says where they
// are on one line, and ends them when the process given as argument has gone.
import { engine } from '@carillon/test-backends';

const LOOK_EVERY_MS = 500;
const owner = Number(process.argv[2]);

function ownerLives(): boolean {
  try {
    return process.kill(owner, 0);
  } catch {
    return false;
  }
}

const [nats, redis] = await Promise.all([engine('nats', { own: true }), engine('redis', { own: true })]);
process.stdout.write(`${JSON.stringify({ nats: nats.url, redis: redis.url })}\n`);
const timer = setInterval(() => {
  if (ownerLives()) return;
  clearInterval(timer);
  void Promise.all([nats.release(), redis.release()]).finally(() => process.exit(0));
}, LOOK_EVERY_MS);
