// The server of the examples: `node libs/client/javascript/examples/serve.js`, beside a service that was started with
// `npm start -- --config libs/client/javascript/examples/carillon.json`. CARILLON_URL, CARILLON_APP_ID, CARILLON_APP_KEY,
// CARILLON_APP_SECRET and CARILLON_VAPID_PUBLIC_KEY name another service, PORT another port.
import { startExamples } from './server.js';

const { env } = process;
const examples = await startExamples({
  url: env.CARILLON_URL ?? 'http://127.0.0.1:6001',
  credentials: {
    appId: env.CARILLON_APP_ID ?? '1001',
    key: env.CARILLON_APP_KEY ?? 'demo-key',
    secret: env.CARILLON_APP_SECRET ?? 'demo-secret',
  },
  vapidPublicKey: env.CARILLON_VAPID_PUBLIC_KEY ?? '',
  port: Number(env.PORT ?? 8080),
});
process.stdout.write(`examples: ${examples.url}\n`);
