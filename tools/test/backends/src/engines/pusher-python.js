// The library that servers in Python use for the signed HTTP API.
import { pythonDriver } from './python-driver.js';

export const pusherPython = pythonDriver('pusher-python', {
  script: 'pusher-python-driver.py',
  packages: {
    name: 'pusher-3.3.3',
    requirements: [
      'pusher==3.3.3',
      'PyNaCl==1.5.0',
      'cffi==1.17.1',
      'pycparser==2.22',
      'six==1.16.0',
      'requests==2.32.3',
      'certifi==2024.8.30',
      'charset-normalizer==3.4.0',
      'idna==3.10',
      'urllib3==2.2.3',
    ],
  },
});
