import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { generatedPages } from '../src/generated-pages.js';

interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
}

const [page] = generatedPages();
const DOCUMENT = JSON.parse(page?.content ?? '') as Document;

/** Routes in the words of docs/moving-from-ably.md. */
const ROUTES = [
  'GET /',
  'GET /time',
  'POST /keys/{keyName}/requestToken',
  'POST /keys/{keyName}/revokeTokens',
  'POST /channels/{channel}/messages',
  'POST /channels/{channel}/publish',
  'POST /messages',
  'GET /channels/{channel}/messages',
  'GET /channels/{channel}/history',
  'GET /channels/{channel}/messages/{serial}',
  'PATCH /channels/{channel}/messages/{serial}',
  'GET /channels/{channel}/messages/{serial}/versions',
  'GET /channels/{channel}/messages/{serial}/annotations',
  'POST /channels/{channel}/messages/{serial}/annotations',
  'GET /channels/{channel}/presence',
  'GET /channels/{channel}/presence/history',
  'GET /presence',
  'GET /channels/{channel}',
  'GET /stats',
  'POST /stats',
  'GET /operator/stats/aggregation',
  'GET /operator/stats/compat-runtime',
  'POST /push/deviceRegistrations',
  'PUT /push/deviceRegistrations/{deviceId}',
  'PATCH /push/deviceRegistrations/{deviceId}',
  'GET /push/deviceRegistrations/{deviceId}',
  'GET /push/deviceRegistrations',
  'DELETE /push/deviceRegistrations/{deviceId}',
  'DELETE /push/deviceRegistrations',
  'POST /push/channelSubscriptions',
  'GET /push/channelSubscriptions',
  'DELETE /push/channelSubscriptions',
  'GET /push/channels',
  'GET /push/publicVapidKey',
  'POST /push/publish',
];

describe('the document of the API for Ably clients', () => {
  it('is valid OpenAPI 3.1', async () => {
    const validator = new Validator();
    expect(await validator.validate(JSON.parse(page?.content ?? '') as Record<string, unknown>)).toEqual({
      valid: true,
    });
    expect(validator.version).toBe('3.1');
  });

  it('has every route of the facade, each under a name of its own', () => {
    const operations = Object.entries(DOCUMENT.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId }]) => ({
        operationId,
        route: `${method.toUpperCase()} ${path}`,
      })),
    );
    expect(operations.map(({ route }) => route).sort()).toEqual([...ROUTES].sort());
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(ROUTES.length);
  });
});
