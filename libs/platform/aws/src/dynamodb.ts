import type { Config } from '@carillon/config';
import { awsClientOptions, type AwsClientOptions } from './client-options.js';
import { identityOf } from './credentials.js';
import type { AwsPlace } from './failures.js';

type DynamoSettings = Config['database']['dynamodb'];

/** Returns options of a DynamoDB client by the settings in `database.dynamodb`. */
export function dynamoClientOptions(settings: DynamoSettings, requestTimeoutMs: number): AwsClientOptions {
  const { region, endpoint_url: endpoint } = settings;
  return awsClientOptions({ region, endpoint, identity: identityOf(settings), requestTimeoutMs });
}

/** Returns the place of that client, for the texts of its errors. */
export const dynamoPlace = ({ region, endpoint_url: endpoint }: DynamoSettings): AwsPlace => ({
  service: 'DynamoDB',
  region,
  endpoint,
  credentialSettings:
    'database.dynamodb.aws_access_key_id and aws_secret_access_key, database.dynamodb.aws_profile_name, or the environment',
});
