// A client library of the Pusher protocol.
import { pythonDriver } from './python-driver.js';

export const pysher = pythonDriver('pysher', {
  script: 'pysher-driver.py',
  packages: {
    name: 'pysher-1.0.8',
    requirements: [
      'Pysher==1.0.8',
      'websocket-client==1.8.0',
      'requests==2.32.3',
      'certifi==2024.8.30',
      'charset-normalizer==3.4.0',
      'idna==3.10',
      'urllib3==2.2.3',
    ],
  },
});
