import { describe, expect, it } from 'vitest';
import { awsFailureText, type AwsPlace, isCredentialFailure } from '../src/index.js';

const PLACE: AwsPlace = {
  service: 'DynamoDB',
  region: 'eu-west-1',
  endpoint: null,
  credentialSettings: 'database.dynamodb.aws_access_key_id',
};

function failure(name: string, message: string): Error {
  const error = new Error(message);
  error.name = name;
  return error;
}

describe('the text of a failure', () => {
  it.each([
    [
      failure('CredentialsProviderError', 'Could not load credentials from any providers'),
      'no AWS credentials for DynamoDB in region eu-west-1 (CredentialsProviderError); set database.dynamodb.aws_access_key_id',
      true,
    ],
    [
      failure('UnrecognizedClientException', 'The security token included in the request is invalid.'),
      'DynamoDB in region eu-west-1 rejected the AWS credentials (UnrecognizedClientException); check database.dynamodb.aws_access_key_id',
      true,
    ],
    [
      failure('AccessDeniedException', 'not authorized to perform: dynamodb:GetItem'),
      'DynamoDB in region eu-west-1 denied the request: AccessDeniedException: not authorized to perform: dynamodb:GetItem; grant the permission to the AWS credentials',
      true,
    ],
    [
      failure('ThrottlingException', 'Rate exceeded'),
      'DynamoDB in region eu-west-1: ThrottlingException: Rate exceeded',
      false,
    ],
    [new Error('socket hang up'), 'DynamoDB in region eu-west-1: socket hang up', false],
    ['?', 'DynamoDB in region eu-west-1: the service does not answer', false],
  ])('names place, cause and remedy of %s', (error, text, isFinal) => {
    expect(awsFailureText(error, PLACE)).toBe(text);
    expect(isCredentialFailure(error)).toBe(isFinal);
  });

  it('names the endpoint that is set, and the code of an error without a message', () => {
    const error = Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' });
    const place = { ...PLACE, endpoint: 'http://127.0.0.1:1' };
    expect(awsFailureText(error, place)).toBe('DynamoDB at http://127.0.0.1:1: ECONNREFUSED');
  });
});
