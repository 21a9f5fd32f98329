import { awsClientOptions, type AwsClientOptions, type AwsPlace, DEFAULT_IDENTITY } from '@carillon/aws';

/** Returns options of a client whose credentials come from the default chain of the SDK. */
export const clientOptions = ({ region, endpoint }: AwsPlace, requestTimeoutMs: number): AwsClientOptions =>
  awsClientOptions({ region, endpoint, identity: DEFAULT_IDENTITY, requestTimeoutMs });

/** Returns the place of a queue service, for the texts of its errors. */
export const queuePlace = (service: string, region: string, endpoint: string | null): AwsPlace => ({
  service,
  region,
  endpoint,
  credentialSettings: 'AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE or the role of the machine',
});
