import { prepareSigningKey } from '../src/index.js';

/** The credentials of the HTTP API's worked examples. */
export const SHOP = prepareSigningKey({
  appId: '1042',
  key: 'k_4f81d0c7b29e',
  secret: 's_7a3e5590c1bd42f8',
});

/** The credentials of the WebSocket examples. */
export const DOCS = prepareSigningKey({ appId: 'docs', key: 'app-key-7f3c', secret: 's3cr3t-for-docs-only' });
