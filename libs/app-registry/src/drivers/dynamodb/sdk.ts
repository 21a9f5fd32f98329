export type Sdk = typeof import('@aws-sdk/client-dynamodb');
