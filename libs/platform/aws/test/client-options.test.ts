import { configuration } from '@carillon/testing';
import { describe, expect, it } from 'vitest';
import { credentialOptions } from '../src/credentials.js';
import { awsClientOptions, DEFAULT_IDENTITY, identityOf } from '../src/index.js';

const PAIR = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'not-a-secret' };

describe('credentials', () => {
  it('are the key pair of database.dynamodb', () => {
    const { database } = configuration({
      AWS_ACCESS_KEY_ID: PAIR.accessKeyId,
      AWS_SECRET_ACCESS_KEY: PAIR.secretAccessKey,
    });
    const identity = identityOf(database.dynamodb);
    expect(credentialOptions(identity, {})).toEqual({ credentials: PAIR });
  });

  it('are those of the profile when there is no key pair', () => {
    const { database } = configuration({}, '[database.dynamodb]\naws_profile_name = "ops"');
    expect(credentialOptions(identityOf(database.dynamodb), {})).toEqual({ profile: 'ops' });
  });

  it('are left to the default chain when neither is set', () => {
    expect(credentialOptions(identityOf(configuration().database.dynamodb), {})).toEqual({});
    expect(credentialOptions(DEFAULT_IDENTITY, {})).toEqual({});
  });

  it('include the session token of the environment only with the key pair of the environment', () => {
    const identity = { keyPair: PAIR, profile: null };
    const env = { AWS_ACCESS_KEY_ID: PAIR.accessKeyId, AWS_SESSION_TOKEN: 'token' };
    expect(credentialOptions(identity, env)).toEqual({ credentials: { ...PAIR, sessionToken: 'token' } });
    const other = { ...env, AWS_ACCESS_KEY_ID: 'OTHER' };
    expect(credentialOptions(identity, other)).toEqual({ credentials: PAIR });
  });
});

describe('client options', () => {
  const settings = {
    region: 'eu-west-1',
    endpoint: null,
    identity: DEFAULT_IDENTITY,
    requestTimeoutMs: 2000,
  };

  it('bound connecting and every attempt, and make a timeout fail the attempt', () => {
    expect(awsClientOptions(settings)).toEqual({
      region: 'eu-west-1',
      maxAttempts: 3,
      requestHandler: { connectionTimeout: 2000, requestTimeout: 2000, throwOnRequestTimeout: true },
    });
  });

  it('name the endpoint and the attempts that are set', () => {
    const options = awsClientOptions({ ...settings, endpoint: 'http://127.0.0.1:1', attempts: 1 });
    expect(options).toMatchObject({ endpoint: 'http://127.0.0.1:1', maxAttempts: 1 });
  });
});
