import { awsClientOptions, DEFAULT_IDENTITY } from '@carillon/aws';
import type { LambdaClient } from '@aws-sdk/client-lambda';
import type { LambdaTarget as LambdaPlace } from '@carillon/config';
import { explainMissingPackage } from '@carillon/runtime';
import { outcomeOfStatus, type AttemptOutcome } from '../delivery/retry.js';
import { Limit } from '@carillon/http-client';

type Sdk = typeof import('@aws-sdk/client-lambda');

const TIMEOUT_MS = 10_000;
/** Regions with a client at once; the one that has it longest is forgotten first. */
const MAX_CLIENTS = 64;

/**
 * Invokes AWS Lambda functions asynchronously, without waiting for their result. Credentials and endpoints are
 * resolved by the AWS library: environment, profile or machine role. The library is loaded by the first function.
 */
export class LambdaTarget {
  readonly #clients = new Map<string, LambdaClient>();
  #sdk: Promise<Sdk> | null = null;

  /** Rejects only when `signal` ends it. */
  async invoke(place: LambdaPlace, body: Uint8Array, signal: AbortSignal): Promise<AttemptOutcome> {
    const limit = new Limit(TIMEOUT_MS, signal);
    try {
      this.#sdk ??= import('@aws-sdk/client-lambda');
      const sdk = await this.#sdk;
      const command = new sdk.InvokeCommand({
        FunctionName: place.function_name,
        InvocationType: 'Event',
        Payload: body,
      });
      const { StatusCode } = await this.#client(sdk, place.region).send(command, {
        abortSignal: limit.signal,
      });
      return outcomeOfStatus(StatusCode ?? 0, undefined);
    } catch (error) {
      signal.throwIfAborted();
      return failure(error, limit.signal);
    } finally {
      limit.release();
    }
  }

  close(): void {
    for (const client of this.#clients.values()) client.destroy();
    this.#clients.clear();
  }

  #client({ LambdaClient: Client }: Sdk, region: string): LambdaClient {
    let client = this.#clients.get(region);
    if (client === undefined) {
      const [oldest] = this.#clients;
      if (oldest !== undefined && this.#clients.size >= MAX_CLIENTS) this.#clients.delete(oldest[0]);
      // Retries are counted and delayed by the delivery.
      const limits = { requestTimeoutMs: TIMEOUT_MS, attempts: 1 };
      client = new Client(
        awsClientOptions({ region, endpoint: null, identity: DEFAULT_IDENTITY, ...limits }),
      );
      this.#clients.set(region, client);
    }
    return client;
  }
}

/** Response fields of library errors, if there was a response. */
interface SdkError {
  readonly $metadata?: { readonly httpStatusCode?: number };
}

function failure(error: unknown, limit: AbortSignal): AttemptOutcome {
  const explained = explainMissingPackage('lambda', error);
  if (explained !== error) return { kind: 'failed', reason: String(explained), retryAfterMs: null };
  if (limit.aborted) return { kind: 'failed', reason: 'timeout', retryAfterMs: null };
  const { $metadata } = typeof error === 'object' && error !== null ? (error as SdkError) : {};
  const status = $metadata?.httpStatusCode;
  if (status !== undefined && status >= 300) return outcomeOfStatus(status, undefined);
  return { kind: 'failed', reason: 'invocation failed', retryAfterMs: null };
}
