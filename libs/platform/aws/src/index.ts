export { awsClientOptions, type AwsClientOptions, type AwsClientSettings } from './client-options.js';
export { type AwsIdentity, DEFAULT_IDENTITY, identityOf } from './credentials.js';
export { dynamoClientOptions, dynamoPlace } from './dynamodb.js';
export { awsFailureText, type AwsPlace, isCredentialFailure } from './failures.js';
