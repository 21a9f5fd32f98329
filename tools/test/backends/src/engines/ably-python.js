// A client library of Ably's protocol, over REST and realtime.
import { pythonDriver } from './python-driver.js';

export const ablyPython = pythonDriver('ably-python', {
  script: 'ably-python-driver.py',
  packages: {
    name: 'ably-3.1.4',
    requirements: [
      'ably==3.1.4',
      'anyio==4.16.0',
      'certifi==2024.8.30',
      'h11==0.16.0',
      'h2==4.4.1',
      'hpack==4.2.0',
      'httpcore==1.0.9',
      'httpx==0.28.1',
      'hyperframe==6.1.0',
      'idna==3.10',
      'msgpack==1.2.4',
      'pyee==13.0.1',
      'typing_extensions==4.16.0',
      'websockets==15.0.1',
    ],
  },
});
