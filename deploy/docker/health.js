// The health check of an image: whether /up of the process in this container answers 200, in the clear or over TLS.
import { get } from 'node:http';
import { get as getOverTls } from 'node:https';

const place = { host: '127.0.0.1', port: process.env.PORT ?? 6001, path: '/up', timeout: 5000 };

/** The certificate is for the name that clients use. */
const isUp = (ask) =>
  new Promise((told) => {
    const asked = ask({ ...place, rejectUnauthorized: false }, (answer) => {
      answer.resume();
      told(answer.statusCode === 200);
    });
    asked.on('timeout', () => asked.destroy(new Error('no answer')));
    asked.on('error', () => told(false));
  });

process.exit((await isUp(get)) || (await isUp(getOverTls)) ? 0 : 1);
