import * as sdk from '@aws-sdk/client-dynamodb';
import type { Config } from '@carillon/config';
import { DynamoAppStore } from './store.js';

/** Credentials that are not set are found as the cloud's library always finds them, by environment, profile or role. */
export function openDynamo({ database: { dynamodb } }: Pick<Config, 'database'>): DynamoAppStore {
  const { region, endpoint_url: endpoint, aws_access_key_id: id, aws_secret_access_key: secret } = dynamodb;
  const credentials =
    id === null || secret === null
      ? {}
      : { credentials: { accessKeyId: id, secretAccessKey: secret.reveal() } };
  const profile = dynamodb.aws_profile_name === null ? {} : { profile: dynamodb.aws_profile_name };
  const client = new sdk.DynamoDBClient({
    region,
    ...(endpoint === null ? {} : { endpoint }),
    ...profile,
    ...credentials,
  });
  return new DynamoAppStore(sdk, client, dynamodb.table_name);
}
